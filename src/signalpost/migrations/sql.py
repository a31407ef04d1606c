"""Running plain SQL scripts in a revision."""

from typing import Any

from alembic import op


def execute(script: str) -> None:
    """Run the statements of `script` in the transaction of the migration.

    Unlike `op.execute`, this takes several statements at once, and colons are not bind parameters. asyncpg prepares
    whatever comes through SQLAlchemy, and a prepared statement is exactly one statement.
    """
    connection: Any = op.get_bind().connection.dbapi_connection
    connection.run_async(lambda driver: driver.execute(script))
