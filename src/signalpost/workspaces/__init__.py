"""The end of a workspace: deletion with a time to think again, and erasure of all it has."""
