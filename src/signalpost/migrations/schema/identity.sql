-- Users, workspaces and their members, sessions, API keys.

-- People. A user belongs to workspaces by `member`, and to none by itself.
create table app_user (
    id uuid primary key,
    email text not null,
    email_key text not null generated always as (lower(email)) stored unique, -- addresses are compared without case
    name text,
    password_hash text,                    -- Argon2; null: signs in with a provider only
    avatar_url text,
    timezone text not null default 'UTC',
    locale text not null default 'en',
    is_staff boolean not null default false,
    last_workspace_id uuid,                -- where the next sign-in leads to
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    email_verified_at timestamptz,         -- by a mailed link, or by a provider; null: not proved
    totp_secret bytea,                     -- sealed
    totp_confirmed_at timestamptz,         -- null: codes are not asked for yet
    totp_last_step bigint,                 -- of the last code that was used: a code works once
    recovery_hashes bytea[] not null default '{}'
);

-- The tenant: whatever has a workspace_id belongs to one, and requests see only that one.
create table workspace (
    id uuid primary key,
    name text not null,
    slug text not null unique,
    plan text not null default 'free',     -- what was bought; with billing off every workspace is self_hosted
    timezone text not null default 'UTC',
    redirect_urls text[] not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    zone_chosen boolean not null default false, -- someone chose the time zone: UTC that nobody chose is warned of
    -- of whom one is required
    second_factor text not null default 'optional' check (second_factor in ('optional', 'admins', 'everyone')),
    erased_at timestamptz                  -- when the data of the deleted workspace went
);
create index workspace_to_erase on workspace (deleted_at) where deleted_at is not null and erased_at is null;

-- Who is signed in. The refresh token that is good now is the one with this generation: an older one ends the session,
-- unless it was replaced just now.
create table session (
    id uuid primary key,
    user_id uuid not null references app_user,
    workspace_id uuid not null references workspace,
    generation integer not null default 0, -- number of the refresh token that is good now
    rotated_at timestamptz,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    revoked_reason text,
    address text,                          -- which opened it; of IPv6 the /64; null: unknown
    second_factor boolean not null default false -- the OpenID provider asked for one, and the operator trusts it to
);
create index session_by_user on session (user_id);

-- Links that work once: to choose a password, to set up the first user, to sign in with a provider.
create table one_time_token (
    hash bytea primary key,                -- SHA-256: a copy of this table opens nothing
    purpose text not null check (purpose in ('password_reset', 'first_run', 'oidc')),
    user_id uuid references app_user,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    asked_from text                        -- a /24 or /64; null: unknown, or not counted
);
create index one_time_token_user on one_time_token (user_id, purpose, created_at) where user_id is not null;

-- Who signs in with an OpenID provider.
create table user_identity (
    issuer text not null,
    subject text not null,                 -- the provider's name for the user: the e-mail address may change
    user_id uuid not null references app_user,
    email text not null,                   -- as the provider stated it when this was written
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    primary key (issuer, subject),
    unique (user_id, issuer)
);

-- Keys of the API. The secret is not here, only its HMAC.
create table api_key (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    key_id text not null unique,           -- the public half, by which it is found
    secret_hmac bytea not null,
    name text not null,
    mode text not null check (mode in ('live', 'test')),
    permission text not null check (permission in ('read', 'read_write')),
    scopes text[] not null,
    profile_ids uuid[],                    -- null: all
    ip_allow_list text[],
    expires_at timestamptz,
    last_used_at timestamptz,
    last_used_ip text,
    created_by uuid not null references app_user,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    -- the key that issued it, and with which it is revoked; null: a person, or not known
    issued_by uuid references api_key
);
create index api_key_workspace on api_key (workspace_id, created_at desc, id desc);
create index api_key_issued on api_key (issued_by) where issued_by is not null;

-- Who belongs to a workspace, from the invitation on.
create table member (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    user_id uuid references app_user,      -- null until an invitation is accepted
    email text not null,
    role text not null check (role in ('owner', 'admin', 'editor', 'contributor', 'approver', 'viewer')),
    profile_ids uuid[],                    -- null: all
    status text not null default 'active' check (status in ('invited', 'active', 'suspended', 'declined', 'expired',
        'removed')),
    invited_by uuid,
    invited_at timestamptz not null default now(),
    joined_at timestamptz,
    expires_at timestamptz,
    last_active_at timestamptz,
    message text,                          -- to the invited person
    -- more than the plan covers: acts as a viewer; the role comes back with a larger plan
    over_limit boolean not null default false,
    -- of an invitation; null: a person sent it. No reference: keys go before members
    key_id uuid
);
create unique index member_active on member (workspace_id, user_id) where status in ('active', 'suspended');
create unique index member_one_owner on member (workspace_id) where role = 'owner' and status = 'active';
create index member_user on member (user_id);
create unique index member_invited on member (workspace_id, lower(email)) where status = 'invited';
create index member_workspace on member (workspace_id);
create index member_invited_address on member (lower(email)) where status = 'invited';
create index member_key on member (key_id) where key_id is not null and status = 'invited';

-- One row: which master key this database was made with.
create table instance (
    name text primary key check (name = 'signalpost'),
    sealed bytea not null,                 -- opens only with the right master key
    created_at timestamptz not null default now(),
    -- the secret from which subkeys are derived: survives every change of the master key
    sealed_root bytea
);

-- The newest export of a workspace; its file is in the storage, in the folder of the workspace.
create table workspace_export (
    workspace_id uuid primary key references workspace (id),
    user_id uuid not null references app_user (id), -- who gets the mail
    status text not null check (status in ('pending', 'ready', 'failed', 'expired')),
    requested_at timestamptz not null default now(),
    finished_at timestamptz,
    expires_at timestamptz,                -- when its file is removed
    size_bytes bigint
);
create index workspace_export_expires on workspace_export (expires_at) where status = 'ready';
