"""The discussion of a post: what its team says about it, and who is mentioned. It does not know what is published."""
