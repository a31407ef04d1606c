-- Rules for new comments, and what they did: decision 0446.
create table comment_rule (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    enabled boolean not null,
    held boolean not null,                 -- whoever answered for it may not any more; enabling it again ends that
    words text[] not null,                 -- a comment needs one of these in its text, if there are any
    authors text[] not null,               -- and one of these as its author
    on_profiles uuid[],                    -- null: under posts of all profiles
    platforms text[],                      -- null: of all networks
    hide boolean not null,                 -- this and the next three: what it does
    done boolean not null,
    assignee_id uuid,                      -- a member
    tags text[] not null,
    scopes text[] not null,                -- this and the next three: what whoever answers for it could do then
    profile_ids uuid[],
    user_id uuid not null,
    key_id uuid,
    created_by jsonb not null,             -- who answers for it: made it, or changed it last
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index comment_rule_listing on comment_rule (workspace_id, created_at desc, id desc);

-- It goes with the comment, so nothing that is said of a person is kept longer than what they said.
create table comment_rule_use (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    rule_id uuid not null,                 -- it may be deleted since
    rule_name text not null,
    comment_id uuid not null references comment on delete cascade,
    profile_id uuid not null,
    account_id uuid not null,
    actions text[] not null,
    hiding text check (hiding in ('pending', 'done', 'failed')), -- at the network; null: it was not to be hidden
    error jsonb,                           -- {code, message}: why something was not done
    attempts integer not null default 0,   -- to hide it
    created_at timestamptz not null,
    unique (comment_id, rule_id)
);
create index comment_rule_use_listing on comment_rule_use (workspace_id, created_at desc, id desc);
create index comment_rule_use_rule on comment_rule_use (rule_id, created_at desc, id desc);
create index comment_rule_use_pending on comment_rule_use (account_id, created_at) where hiding = 'pending';

-- Comments are forgotten as the plan of their workspace says.
create index comment_kept on comment (workspace_id, created_at);
drop index comment_age;
