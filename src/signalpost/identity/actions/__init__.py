"""Writes: sign up, sign in, change a password, create keys, change workspaces."""
