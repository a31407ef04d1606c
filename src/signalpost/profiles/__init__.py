"""Profiles and the links between them. Knows no accounts and no posts; it reaches them by hooks."""
