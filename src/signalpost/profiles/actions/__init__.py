"""Writes of profiles and links."""
