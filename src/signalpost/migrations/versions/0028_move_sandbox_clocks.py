"""A workspace moves the clock of its sandbox: what waits there becomes due earlier."""

from signalpost.migrations import sql

revision = "0028"
down_revision = "0027"

SQL = """
create table sandbox_clock (
    workspace_id uuid primary key references workspace on delete cascade,
    ahead interval not null,               -- how much later it is in the sandbox than it really is
    ends_at timestamptz not null           -- a forgotten clock ends by itself
);
"""


def upgrade() -> None:
    sql.execute(SQL)
