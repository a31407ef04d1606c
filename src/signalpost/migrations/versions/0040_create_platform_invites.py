"""Invitations to connect accounts, for people who have no account here."""

from signalpost.migrations import sql

revision = "0040"
down_revision = "0039"

SQL = """
create table platform_invite (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    token_hash bytea not null unique,
    mode text not null check (mode in ('live', 'test')),
    platforms text[] not null,
    label text,
    email text,
    message text,
    redirect_url text,
    branding jsonb,                        -- {name, logo_url, color, hide_powered_by}
    language text,
    max_connections integer not null,
    status text not null check (status in ('pending', 'opened', 'partially_connected', 'completed', 'revoked')),
    created_by jsonb not null,
    user_id uuid not null,                 -- whose rights the guest depends on
    key_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,       -- an open one is over then, without a change of `status`
    revoked_at timestamptz,
    last_opened_at timestamptz,
    connections jsonb not null default '[]' -- [{account_id, platform, username, at}]
);
create index platform_invite_listing on platform_invite (workspace_id, created_at desc, id desc);
"""


def upgrade() -> None:
    sql.execute(SQL)
