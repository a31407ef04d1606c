"""Backups: everything an instance knows in one file, and the way back into an empty instance, which starts held."""
