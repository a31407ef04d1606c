-- Texts that a team inserts in posts again and again.
create table snippet (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid references profile,    -- null: for all profiles
    name text not null,
    text text not null,                    -- with its variables, such as {weekday}
    created_by jsonb not null,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index snippet_listing on snippet (workspace_id, created_at desc, id desc);
-- The names of those for all are unique too, which they would not be as nulls.
create unique index snippet_name on snippet
    (workspace_id, coalesce(profile_id, '00000000-0000-0000-0000-000000000000'), lower(name));
