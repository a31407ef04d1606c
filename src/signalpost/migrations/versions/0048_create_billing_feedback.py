"""What people say about plans and prices."""

from signalpost.migrations import sql

revision = "0048"
down_revision = "0047"

SQL = """
create table billing_feedback (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references app_user,
    plan text not null,
    reason text not null,
    stage text not null,
    comment text,
    rating smallint,
    created_at timestamptz not null default now()
);
create index billing_feedback_workspace on billing_feedback (workspace_id, created_at);
"""


def upgrade() -> None:
    sql.execute(SQL)
