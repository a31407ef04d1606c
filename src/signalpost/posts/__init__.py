"""Posts: what to publish, where and when, until its targets are due. It does not know how they are published."""
