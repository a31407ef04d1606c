"""Posts that repeat: how far each series is, and which post each repetition became."""

from signalpost.migrations import sql

revision = "0035"
down_revision = "0034"

SQL = """
create table recurrence_series (
    post_id uuid primary key references post on delete cascade,
    workspace_id uuid not null references workspace,
    last_local timestamp not null,         -- wall time of the last repetition that was created, or of the post itself
    look_at timestamptz not null           -- when the next one is created
);
create index recurrence_series_due on recurrence_series (look_at);
create index recurrence_series_workspace on recurrence_series (workspace_id, look_at);

create table recurrence_occurrence (
    parent_id uuid not null references post on delete cascade,
    local timestamp not null,              -- wall time in the zone of the rule
    workspace_id uuid not null references workspace,
    post_id uuid references post on delete set null,
    reason text,                           -- why there is no post
    primary key (parent_id, local)
);
create index recurrence_occurrence_post on recurrence_occurrence (post_id) where post_id is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
