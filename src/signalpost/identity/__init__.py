"""Users, workspaces, sessions, API keys: finds the Caller behind a credential. Knows no profiles, posts or limits."""
