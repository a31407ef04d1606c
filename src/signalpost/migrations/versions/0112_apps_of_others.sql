-- Apps of others that act for a workspace, and what a person allows one: decision 0429.
create table app (
    id uuid primary key,
    workspace_id uuid references workspace, -- whose people registered it; null: it registered itself
    name text not null,
    website_url text,
    redirect_uris text[] not null,
    auth_method text not null check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
    secret_hmac bytea,                      -- null: a public client has none
    created_by jsonb,                       -- null: it registered itself
    created_at timestamptz not null,
    updated_at timestamptz not null,
    used_at timestamptz,                    -- when it was allowed something last
    deleted_at timestamptz                  -- its grants end at once, their rows a little later
);
create index app_listing on app (workspace_id, created_at desc, id desc) where deleted_at is null;
create index app_unused on app (created_at) where workspace_id is null and used_at is null;
create index app_self_registered on app (used_at) where workspace_id is null;
create index app_deleted on app (deleted_at) where deleted_at is not null;

create table app_grant (
    id uuid primary key references api_key, -- the key by which the app acts, which nobody has
    workspace_id uuid not null references workspace,
    app_id uuid not null references app on delete cascade,
    app_name text not null,                 -- this and the next one: as the person saw them
    redirect_host text not null,
    authorization_id uuid not null unique,  -- of the code that was redeemed, so that none is twice
    generation integer not null default 1,  -- of the refresh token that works
    rotated_at timestamptz,
    access_hmac bytea not null,
    access_expires_at timestamptz not null,
    former_hmac bytea,                      -- of the access token before, which works to its end
    former_expires_at timestamptz,
    created_at timestamptz not null
) with (fillfactor = 80);
create index app_grant_listing on app_grant (workspace_id, created_at desc, id desc);
create index app_grant_app on app_grant (app_id, created_at desc);

-- The keys of apps are in no list of keys, and count as none.
alter table api_key add column app_id uuid;
