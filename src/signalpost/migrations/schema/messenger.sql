-- Numbers that write to us: their links, codes, messages and replies. Texts are sealed, and removed when handled.

-- Phone numbers that may post by message.
create table messenger_link (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references app_user on delete cascade,
    profile_id uuid not null references profile on delete cascade,
    mode text not null check (mode in ('live', 'test')),
    scopes text[] not null,                -- those of the credential that asked for the code
    profile_ids uuid[],                    -- that it was limited to; null: all
    phone_hash bytea unique,
    user_hash bytea unique,                -- of the user id that the network made for this business
    recipient bytea not null,              -- sealed
    phone_masked text,
    post_ids uuid[] not null default '{}', -- made by messages, newest first: what `publish` and `status` are about
    awaits_time boolean not null default false,
    linked_at timestamptz not null default now(),
    last_message_at timestamptz not null,
    key_id uuid references api_key on delete cascade, -- ends with it. Neither key nor session: does not work
    session_id uuid,
    unique (workspace_id, user_id, mode),
    check (phone_hash is not null or user_hash is not null)
);
create index messenger_link_key on messenger_link (key_id) where key_id is not null;

-- Codes that link a number.
create table messenger_code (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references app_user on delete cascade,
    profile_id uuid not null references profile on delete cascade,
    mode text not null check (mode in ('live', 'test')),
    scopes text[] not null,
    profile_ids uuid[],
    code_hash bytea not null unique,
    expires_at timestamptz not null,
    key_id uuid references api_key on delete cascade, -- as in messenger_link
    session_id uuid,
    unique (workspace_id, user_id, mode)
);
create index messenger_code_key on messenger_code (key_id) where key_id is not null;

-- Codes that a number guessed wrong, whether linked or not.
create table messenger_guess (
    sender_hash bytea primary key,
    wrong smallint not null default 0,
    locked_until timestamptz,
    answered_at timestamptz,               -- when a stranger was last told how to link
    updated_at timestamptz not null default now()
);

-- Messages that came in. Texts are sealed, and removed when handled.
create table messenger_message (
    id uuid primary key,
    remote_hash bytea not null unique,     -- the id at the network contains the phone number
    workspace_id uuid references workspace on delete cascade, -- null until it is clear whose it is
    sender_hash bytea not null,
    sent_at timestamptz not null,
    body bytea,                            -- sealed; null once it is handled
    media_id uuid,                         -- the id that its file gets
    received_at timestamptz not null default now(),
    handled_at timestamptz,
    check ((body is null) = (handled_at is not null))
);
create index messenger_message_waiting on messenger_message (sender_hash, sent_at, id) where handled_at is null;
create index messenger_message_received on messenger_message (received_at);

-- What is said back; a row is its own job.
create table messenger_reply (
    id uuid primary key,
    workspace_id uuid references workspace on delete cascade, -- null: to a stranger
    link_id uuid references messenger_link on delete set null,
    recipient_hash bytea not null,
    recipient bytea not null,              -- sealed, as is the body
    body bytea,                            -- null: the result of the post, or what was sent
    post_id uuid,
    state text not null default 'waiting' check (state in ('waiting', 'sending', 'sent', 'delivered', 'failed',
        'unknown', 'dropped')),
    attempts smallint not null default 0,
    as_template boolean not null default false,
    remote_hash bytea,
    error text,
    created_at timestamptz not null default now(),
    settled_at timestamptz
);
create index messenger_reply_waiting on messenger_reply (recipient_hash, id) where state in ('waiting', 'sending');
create index messenger_reply_remote on messenger_reply (remote_hash) where remote_hash is not null;
create index messenger_reply_link on messenger_reply (link_id, id);
create index messenger_reply_created on messenger_reply (created_at);
