"""Writes of invitations: by their workspace, and by the guests who open them."""
