-- Connected accounts, and how they are connected.

-- A connected account of a network: what a post is published to, and the key of its lane.
create table account (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    platform text not null,
    kind text not null,                    -- page, profile, channel, ... as the network has it
    remote_id text not null,               -- as the network calls it
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
    over_limit boolean not null default false, -- the plan does not cover it
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
    disconnected_at timestamptz,
    -- whose grant it was chosen from, by the network's id; null: it has one of its own
    grant_remote_id text,
    noticed_status text                    -- of which the owner was mailed; null: it works
);
create unique index account_remote on account (profile_id, platform, remote_id);
create index account_listing on account (workspace_id, created_at desc, id desc);
create index account_profile on account (profile_id);
create index account_grant on account (workspace_id, platform, grant_remote_id) where grant_remote_id is not null;
-- Accounts of which the owner is to be mailed, and those that work again.
create index account_notice on account (workspace_id)
    where status in ('needs_reauth', 'restricted', 'expiring') and noticed_status is distinct from status;
create index account_noticed on account (id)
    where noticed_status is not null and status not in ('needs_reauth', 'restricted', 'expiring');

-- As profile_digest, of an account.
create function account_digest(a account) returns bigint language sql immutable parallel safe as $$
    select hash_record_extended(row(a.id, a.platform, a.username, a.facts, a.over_limit, a.status), 0)
$$;

-- Apps that we registered ourselves at a server (Mastodon).
create table network_app (
    platform text not null,
    base_url text not null,
    redirect_uri text not null,
    credentials bytea not null,            -- sealed
    created_at timestamptz not null default now(),
    primary key (platform, base_url, redirect_uri)
);

-- Connections of accounts that are under way.
create table oauth_flow (
    state_hash bytea primary key,          -- SHA-256: a copy of this table opens nothing
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    platform text not null,
    account_id uuid references account,    -- reconnect
    base_url text,
    redirect_url text,
    code_verifier bytea not null,          -- sealed
    started_by jsonb not null,             -- {actor, user_id, key_id, mode, via}
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    authorize_url bytea,                   -- sealed: it contains the state
    browser_hash bytea,                    -- SHA-256 of the flow's cookie; null: nobody has started it yet
    choices bytea,                         -- sealed: the grant and what it can post to, until one of them is chosen
    notes bytea                            -- sealed: what the second half needs; null: nothing
);
create index oauth_flow_age on oauth_flow (expires_at);

-- Invitations to connect accounts, for people who have no user here.
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
