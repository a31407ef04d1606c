"""Alembic's entry: writes the SQL of the wanted revisions into the buffer that `signalpost.main.migrate` runs."""

from alembic import context

context.configure(dialect_name="postgresql", transactional_ddl=True, transaction_per_migration=False)
context.run_migrations()
