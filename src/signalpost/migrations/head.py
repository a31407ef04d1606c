"""The newest revision of this program."""

HEAD = "0083"
"""Stated here because asking Alembic for it would add 0.3 s to every start; a test compares the two."""
