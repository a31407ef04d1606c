"""Profiles and the links between them. It reaches accounts and posts only through hooks."""
