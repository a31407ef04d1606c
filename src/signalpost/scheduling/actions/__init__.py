"""Writes of scheduling."""
