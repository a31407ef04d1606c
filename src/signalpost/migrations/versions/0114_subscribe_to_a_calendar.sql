-- Links by which calendar programs read when posts go out, and nothing else.
create table calendar_link (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    token_hash bytea not null unique,      -- SHA-256
    mode text not null check (mode in ('live', 'test')),
    profile_id uuid references profile,    -- this and the next four: which posts; null or empty: all
    account_id uuid,
    tag text,
    campaign text,
    statuses text[] not null default '{}',
    language text not null,                -- of the words around the posts
    scopes text[] not null,                -- this and the next three: what its maker could do then
    profile_ids uuid[],
    user_id uuid not null,
    key_id uuid,
    created_by jsonb not null,
    created_at timestamptz not null,
    rotated_at timestamptz not null,       -- when it got the token that it has
    last_read_at timestamptz
);
create index calendar_link_listing on calendar_link (workspace_id, created_at desc, id desc);
