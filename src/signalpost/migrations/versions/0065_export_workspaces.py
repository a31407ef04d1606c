"""Exports of workspaces that their owners ask for."""

from signalpost.migrations import sql

revision = "0065"
down_revision = "0064"

SQL = """
-- the newest export of a workspace; its file is in the storage, in the folder of the workspace
create table workspace_export (
    workspace_id uuid primary key references workspace (id),
    user_id uuid not null references app_user (id), -- who gets the mail
    status text not null check (status in ('pending', 'ready', 'failed', 'expired')),
    requested_at timestamptz not null default now(),
    finished_at timestamptz,
    expires_at timestamptz, -- when its file is removed
    size_bytes bigint
);
create index workspace_export_expires on workspace_export (expires_at) where status = 'ready';
"""


def upgrade() -> None:
    sql.execute(SQL)
