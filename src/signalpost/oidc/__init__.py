"""Sign-in with an OpenID provider that the operator chose, beside passwords."""
