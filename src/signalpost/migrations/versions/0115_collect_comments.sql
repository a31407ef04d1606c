-- What people wrote under published posts, and what was answered: decision 0436.
create table comment (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    account_id uuid not null references account,
    post_id uuid not null references post on delete cascade,
    target_id uuid not null references target on delete cascade,
    platform text not null,
    mode text not null check (mode in ('live', 'test')),
    remote_id text not null,               -- as the network calls it
    parent_id uuid references comment on delete set null, -- the comment that it answers; null: the post
    thread_id uuid not null,               -- the comment under the post itself that it hangs on; its own id if it is that
    reference jsonb not null,              -- what the connector needs to answer it
    author_id text not null,               -- the network's
    author_name text not null,
    author_handle text,
    author_avatar_url text,
    author_url text,
    is_own boolean not null,               -- written by the account
    text text not null,                    -- empty once it was deleted
    url text,
    state text not null check (state in ('open', 'done')),
    assignee_id uuid,                      -- a member
    assignee_name text,
    tags text[] not null,
    hidden boolean not null,
    liked boolean not null,
    posted_at timestamptz not null,        -- at the network
    edited_at timestamptz,
    deleted_at timestamptz,                -- the network no longer has it
    removed boolean not null default false, -- deleted from here: it stays so, whatever the network lists
    answered_at timestamptz,               -- when the account first answered it, here or at the network
    created_at timestamptz not null,       -- when it was collected
    updated_at timestamptz not null,
    unique (account_id, remote_id)
);
create index comment_listing on comment (workspace_id, created_at desc, id desc) where not is_own;
create index comment_post on comment (post_id, created_at, id);
create index comment_thread on comment (thread_id, created_at, id);
create index comment_parent on comment (parent_id) where parent_id is not null;
create index comment_age on comment (created_at);

-- When the network is asked for the comments under a target.
create table comment_source (
    target_id uuid primary key references target on delete cascade,
    workspace_id uuid not null references workspace,
    account_id uuid not null references account,
    published_at timestamptz not null,
    next_attempt_at timestamptz,           -- null: not any more
    failures integer not null default 0,   -- in a row
    read_at timestamptz,
    last_error text
);
create index comment_source_due on comment_source (account_id, next_attempt_at) where next_attempt_at is not null;
create index comment_source_age on comment_source (published_at);

-- Answers of the account. Its journal is that of a post: what is about to be sent is written before it is.
create table comment_reply (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    comment_id uuid not null references comment on delete cascade,
    account_id uuid not null references account,
    text text not null,
    state text not null check (state in ('pending', 'sending', 'sent', 'failed', 'unknown', 'rejected')),
    author jsonb not null,
    user_id uuid not null,
    decided_by jsonb,                      -- who approved or rejected it
    steps jsonb not null default '{}',
    intent text,                           -- the step that may have been sent; null: none
    attempts integer not null default 0,
    remote_id text,
    url text,
    error jsonb,                           -- {code, message}
    created_at timestamptz not null,
    sent_at timestamptz
);
create index comment_reply_comment on comment_reply (comment_id, created_at);
create index comment_reply_account on comment_reply (account_id);
