"""The secret from which subkeys are derived: sealed, so that it survives every change of the master key."""

from signalpost.migrations import sql

revision = "0056"
down_revision = "0055"

SQL = "alter table instance add column sealed_root bytea;"


def upgrade() -> None:
    sql.execute(SQL)
