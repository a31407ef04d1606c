"""The embedded PostgreSQL server: created, started, shared by processes, watched and stopped. It knows only `kit`."""
