"""What callers do with the page of a profile, and what its visitors do."""
