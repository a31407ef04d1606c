"""How staff changed feature flags. They are declared in the code; a flag that nobody changed has no row."""

from signalpost.migrations import sql

revision = "0038"
down_revision = "0037"

SQL = """
create table feature_flag (
    key text primary key,
    enabled boolean not null,
    rollout_percent integer not null default 100 check (rollout_percent between 0 and 100),
    rules jsonb not null default '{}',     -- {plans, workspace_ids, user_ids}
    description text,                      -- null: the declared one
    updated_by jsonb,
    updated_at timestamptz
);
"""


def upgrade() -> None:
    sql.execute(SQL)
