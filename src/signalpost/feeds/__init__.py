"""Feeds: new items of RSS and Atom feeds become drafts or posts, by rules. It knows no networks and no queue."""
