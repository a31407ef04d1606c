"""API keys as callers manage them: create, list, revoke, and revoke what leaked. `identity` knows who a key is."""
