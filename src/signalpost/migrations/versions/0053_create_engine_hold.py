"""While the row is there, no worker claims anything: the database came from a backup, and an operator has to look."""

from signalpost.migrations import sql

revision = "0053"
down_revision = "0052"

SQL = """
create table engine_hold (
    singleton boolean primary key default true check (singleton),
    reason text not null check (reason in ('restored')),
    backup_made_at timestamptz not null,
    held_at timestamptz not null default now()
);
"""


def upgrade() -> None:
    sql.execute(SQL)
