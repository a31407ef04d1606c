"""Writes of the service status."""
