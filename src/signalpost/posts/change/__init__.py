"""Changing, approving, deleting and restoring posts."""
