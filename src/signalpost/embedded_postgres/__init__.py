"""The embedded PostgreSQL server: created, started, shared by processes, watched and stopped. Knows only `kit`."""
