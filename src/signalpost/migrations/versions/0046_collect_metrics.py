"""Numbers of published posts, and when to ask for them."""

from signalpost.migrations import sql

revision = "0046"
down_revision = "0045"

SQL = """
-- Columns instead of JSON: a row of nulls costs a bitmap, and sums of a column read nothing else.
create table metric (
    target_id uuid not null references target on delete cascade,
    bucket timestamptz not null,           -- the hour of collected_at: one row for each hour
    workspace_id uuid not null references workspace,
    account_id uuid not null references account,
    collected_at timestamptz not null,
    views bigint, likes bigint, comments bigint, shares bigint, saves bigint, clicks bigint, impressions bigint,
    reach bigint, watch_time_seconds bigint, -- since it was published; null: the network does not give this one
    primary key (target_id, bucket)
);
create index metric_of_workspace on metric (workspace_id, collected_at);
create index metric_of_account on metric (account_id, collected_at);
create index metric_age on metric using brin (collected_at);

create table metric_schedule (
    target_id uuid primary key references target on delete cascade,
    workspace_id uuid not null references workspace,
    account_id uuid not null references account,
    published_at timestamptz not null,
    due_at timestamptz,                    -- null: it is over
    collected_at timestamptz               -- last time
) with (fillfactor = 80);
create index metric_schedule_due on metric_schedule (due_at) where due_at is not null;
create index metric_schedule_account on metric_schedule (account_id, due_at) where due_at is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
