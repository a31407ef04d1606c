"""Sign-in with a provider, from its beginning in a browser to the session of whoever began it."""
