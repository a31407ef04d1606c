"""To which workspaces it was reported how much of a month's limit they have used."""

from signalpost.migrations import sql

revision = "0045"
down_revision = "0044"

SQL = """
create table usage_notice (
    workspace_id uuid not null references workspace on delete cascade,
    metric text not null,
    period date not null,                  -- first day of the month, UTC
    maximum bigint not null,               -- of the plan at that time: a larger one is another notice
    percent smallint not null,
    created_at timestamptz not null default now(),
    primary key (workspace_id, metric, period, maximum, percent)
);
"""


def upgrade() -> None:
    sql.execute(SQL)
