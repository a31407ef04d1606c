-- Links by which people who have no user here read posts and decide on them.
create table approval_link (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    token_hash bytea not null unique,      -- SHA-256
    mode text not null check (mode in ('live', 'test')),
    post_ids uuid[] not null,              -- what it shows, and nothing else
    email text,                            -- who has it proves with a code that they read this mailbox
    message text,
    scopes text[] not null,                -- this and the next three: what its maker could do then
    profile_ids uuid[],
    user_id uuid not null,
    key_id uuid,
    created_by jsonb not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    last_opened_at timestamptz,
    code_hash bytea,                       -- keyed; of the newest code that was mailed
    code_expires_at timestamptz,
    code_tries smallint not null default 0 -- wrong ones since it was mailed
);
create index approval_link_listing on approval_link (workspace_id, created_at desc, id desc);
create index approval_link_age on approval_link (expires_at);
