"""Users, workspaces, sessions and API keys: finds the caller behind a credential. It knows no profiles or posts."""
