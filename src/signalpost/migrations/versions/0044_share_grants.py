"""Accounts that were chosen from one grant share its tokens; a choice that is open waits with its flow."""

from signalpost.migrations import sql

revision = "0044"
down_revision = "0043"

SQL = """
-- Whose grant the account was chosen from, by the network's id; null: it has one of its own.
alter table account add column grant_remote_id text;
create index account_grant on account (workspace_id, platform, grant_remote_id) where grant_remote_id is not null;
-- Sealed: the grant and what it can post to, until one of them is chosen.
alter table oauth_flow add column choices bytea;
"""


def upgrade() -> None:
    sql.execute(SQL)
