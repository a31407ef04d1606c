"""Authorizations whose request is brought to the network first keep what the second half needs."""

from signalpost.migrations import sql

revision = "0054"
down_revision = "0053"

SQL = """
-- Sealed JSON; null: the network needs none.
alter table oauth_flow add column notes bytea;
"""


def upgrade() -> None:
    sql.execute(SQL)
