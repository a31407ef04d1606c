"""Workspaces: created, changed, taken along in a file, deleted with a time to think again, and erased."""
