-- Links by which someone without a user here reads how the posts of a month did, and mails that bring them.
create table report_link (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    token_hash bytea not null unique,      -- SHA-256
    mode text not null check (mode in ('live', 'test')),
    language text not null,                -- of the report and its mails
    scopes text[] not null,                -- this and the next three: what its maker could do then
    profile_ids uuid[],
    user_id uuid not null,
    key_id uuid,
    created_by jsonb not null,
    created_at timestamptz not null,
    email text,                            -- who is mailed each month; null: nobody
    sealed_token bytea,                    -- the token, for these mails
    next_mail_at timestamptz,
    last_opened_at timestamptz,
    check ((email is null) = (sealed_token is null)),
    check (email is not null or next_mail_at is null)
);
create index report_link_listing on report_link (workspace_id, created_at desc, id desc);
create index report_link_due on report_link (next_mail_at) where next_mail_at is not null;
