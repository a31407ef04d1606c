"""The database schema as a chain of Alembic revisions in plain SQL, and what applies them. Knows no room but `kit`."""
