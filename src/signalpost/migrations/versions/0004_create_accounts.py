"""Connected accounts, dynamic app registrations, authorization flows under way."""

from signalpost.migrations import sql

revision = "0004"
down_revision = "0003"

SQL = """
create table account (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    platform text not null,
    kind text not null,
    remote_id text not null,
    username text not null,
    display_name text not null,
    avatar_url text,
    profile_url text,
    status text not null check (status in ('active', 'expiring', 'needs_reauth', 'restricted', 'paused',
        'disconnected')),
    status_reason text,
    connected_via text not null check (connected_via in ('api', 'dashboard', 'invite', 'messaging', 'sandbox')),
    parent_account_id uuid references account,
    base_url text,                         -- the account's own server; null: the network's one address
    scopes text[] not null default '{}',
    secrets bytea,                         -- sealed; null once disconnected
    secrets_version integer not null default 1, -- compare-and-set of token renewals
    token_expires_at timestamptz,
    refreshable boolean not null default false,
    facts jsonb not null default '{}',     -- what the server told of itself and of its limits
    followers integer,
    daily_limit integer,
    over_limit boolean not null default false,
    last_published_at timestamptz,
    last_refreshed_at timestamptz,
    last_refresh_error text,
    upkeep_at timestamptz,                 -- when the token is looked after next (job account.upkeep)
    renewing_by uuid,                      -- who renews the token right now: one at a time over all processes
    renewing_until timestamptz,
    last_checked_at timestamptz,
    health jsonb,                          -- answer of the last live check
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    disconnected_at timestamptz
);
create unique index account_remote on account (profile_id, platform, remote_id);
create index account_listing on account (workspace_id, created_at desc, id desc);
create index account_profile on account (profile_id);

create table network_app (                 -- apps registered by ourselves at a server (Mastodon)
    platform text not null,
    base_url text not null,
    redirect_uri text not null,
    credentials bytea not null,            -- sealed
    created_at timestamptz not null default now(),
    primary key (platform, base_url, redirect_uri)
);

create table oauth_flow (
    state_hash bytea primary key,          -- SHA-256: a copy of this table opens nothing
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    platform text not null,
    account_id uuid references account,    -- reconnect
    base_url text,
    redirect_url text,
    code_verifier bytea not null,          -- sealed
    started_by jsonb not null,             -- {actor, userId, keyId, mode, via}
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
);
create index oauth_flow_age on oauth_flow (expires_at);
"""


def upgrade() -> None:
    sql.execute(SQL)
