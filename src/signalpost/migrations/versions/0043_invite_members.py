"""Members are invited by e-mail, and a mailbox that a user proved to read is known."""

from signalpost.migrations import sql

revision = "0043"
down_revision = "0042"

SQL = """
alter table app_user add email_verified_at timestamptz;   -- by a mailed link, or by a provider
alter table member add message text;                      -- to the invited person
create unique index member_invited on member (workspace_id, lower(email)) where status = 'invited';
"""


def upgrade() -> None:
    sql.execute(SQL)
