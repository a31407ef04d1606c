"""Alembic's environment. `runner.migrate` passes the connection, which holds the lock and the transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transaction_per_migration=False)
with context.begin_transaction():
    context.run_migrations()
