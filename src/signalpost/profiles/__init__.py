"""Profiles and the links between them. Knows no network and no post: those hear of a profile's end by event."""
