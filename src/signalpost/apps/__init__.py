"""Apps of others that act for a workspace by OAuth 2.1: registration, consent, tokens, and the end of each."""
