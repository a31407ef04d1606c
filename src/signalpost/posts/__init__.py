"""Posts: what shall be said, where and when, until its targets are due. It does not know how anything is sent."""
