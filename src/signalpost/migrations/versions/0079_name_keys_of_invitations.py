"""Invitations of members name the key that sent them, so that they end with it."""

from signalpost.migrations import sql

revision = "0079"
down_revision = "0078"

SQL = """
alter table member add key_id uuid; -- of an invitation; null: a person sent it. No reference: keys go before members
create index member_key on member (key_id) where key_id is not null and status = 'invited';
"""


def upgrade() -> None:
    sql.execute(SQL)
