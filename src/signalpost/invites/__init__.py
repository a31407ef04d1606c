"""Platform invitations: a link by which someone without an account here connects theirs. It does not know posts."""
