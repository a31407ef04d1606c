"""Users, workspaces, members, sessions, API keys, idempotency, usage."""

from signalpost.migrations import sql

revision = "0002"
down_revision = "0001"

SQL = """
create table app_user (
    id uuid primary key,
    email text not null,
    email_key text not null generated always as (lower(email)) stored unique,
    name text,
    password_hash text,
    avatar_url text,
    timezone text not null default 'UTC',
    locale text not null default 'en',
    is_staff boolean not null default false,
    last_workspace_id uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create table workspace (
    id uuid primary key,
    name text not null,
    slug text not null unique,
    plan text not null default 'free',     -- what was bought; with billing off every workspace is self_hosted
    timezone text not null default 'UTC',
    redirect_urls text[] not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
);

create table member (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    user_id uuid references app_user,
    email text not null,
    role text not null check (role in ('owner', 'admin', 'editor', 'contributor', 'approver', 'viewer')),
    profile_ids uuid[],                    -- null: all
    status text not null default 'active'
        check (status in ('invited', 'active', 'suspended', 'declined', 'expired', 'removed')),
    invited_by uuid,
    invited_at timestamptz not null default now(),
    joined_at timestamptz,
    expires_at timestamptz,
    last_active_at timestamptz
);
create unique index member_active on member (workspace_id, user_id) where status in ('active', 'suspended');
create unique index member_one_owner on member (workspace_id) where role = 'owner' and status = 'active';
create index member_user on member (user_id);

create table session (
    id uuid primary key,
    user_id uuid not null references app_user,
    workspace_id uuid not null references workspace,
    generation integer not null default 0, -- number of the refresh token that is good now
    rotated_at timestamptz,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    revoked_reason text
);
create index session_by_user on session (user_id);

create table instance (               -- one row: which master key this database was made with
    name text primary key check (name = 'signalpost'),
    sealed bytea not null,
    created_at timestamptz not null default now()
);

create table one_time_token (             -- password reset, first run
    hash bytea primary key,
    purpose text not null check (purpose in ('password_reset', 'first_run')),
    user_id uuid references app_user,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
);

create table api_key (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    key_id text not null unique,
    secret_hmac bytea not null,
    name text not null,
    mode text not null check (mode in ('live', 'test')),
    permission text not null check (permission in ('read', 'read_write')),
    scopes text[] not null,
    profile_ids uuid[],
    ip_allow_list text[],
    expires_at timestamptz,
    last_used_at timestamptz,
    last_used_ip text,
    created_by uuid not null references app_user,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
);
create index api_key_workspace on api_key (workspace_id, created_at desc, id desc);

create table idempotency (
    credential text not null,
    key text not null,
    fingerprint bytea not null,
    status integer,                        -- null: still running
    headers jsonb,
    body bytea,
    created_at timestamptz not null default now(),
    primary key (credential, key)
);
create index idempotency_age on idempotency (created_at);

create table usage (                       -- the sum over stripes counts
    workspace_id uuid not null,
    metric text not null,
    period date not null,                  -- first day of the month, UTC
    stripe integer not null,               -- 0 under a limit; else one per connection, so that commits do not queue
    used bigint not null default 0,
    primary key (workspace_id, metric, period, stripe)
) with (fillfactor = 60);
"""


def upgrade() -> None:
    sql.execute(SQL)
