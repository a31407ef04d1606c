"""The database schema in plain SQL, the revisions that change it, and what applies them. It knows only `kit`."""
