-- Texts that a team answers comments with again and again.
create table saved_reply (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid references profile,    -- null: for all profiles
    name text not null,
    text text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index saved_reply_listing on saved_reply (workspace_id, created_at desc, id desc);
