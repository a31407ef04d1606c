"""${message}."""

from signalpost.migrations import sql

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}

SQL = """
"""


def upgrade() -> None:
    sql.execute(SQL)
