"""The API calls of a workspace in the last seven days: who called what, and what came of it. It knows no resource."""
