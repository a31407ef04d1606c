"""The database schema as a chain of Alembic revisions in plain SQL, and what applies them. It knows only `kit`."""
