"""Writes of links: by their workspace, and by those who decide with them."""
