-- Support tickets, their messages, and votes for suggestions.

-- Support tickets and suggestions.
create table ticket (
    id uuid primary key,
    number bigint not null generated always as identity unique,
    workspace_id uuid not null references workspace,
    author_id uuid not null references app_user,
    type text not null check (type in ('bug', 'question', 'billing', 'account', 'suggestion')),
    status text not null default 'open',
    priority text not null,
    subject text not null,
    words tsvector not null,               -- of the subject with weight A, of the first message with D
    context jsonb,                         -- {post_id, request_id, url, user_agent}
    assignee_id uuid references app_user,
    tags text[] not null default '{}',
    votes integer not null default 0,
    message_count integer not null default 0, -- without internal notes
    note_count integer not null default 0,
    answered boolean not null default false, -- by staff, for the user to read
    merged_into_id uuid references ticket on delete set null,
    resolved_at timestamptz,               -- while it is resolved
    closed_at timestamptz,
    last_message_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index ticket_listing on ticket (workspace_id, created_at desc, id desc);
create index ticket_all on ticket (created_at desc, id desc);
create index ticket_suggestion on ticket (votes desc, id desc) where type = 'suggestion';
create index ticket_words on ticket using gin (words);
create index ticket_resolved on ticket (resolved_at) where status = 'resolved';
create index ticket_merged on ticket (merged_into_id) where merged_into_id is not null;

-- What was written in a ticket.
create table ticket_message (
    id uuid primary key,
    ticket_id uuid not null references ticket on delete cascade,
    workspace_id uuid not null references workspace, -- of the ticket
    author_id uuid references app_user,    -- null: the service itself
    role text not null check (role in ('user', 'staff', 'system')),
    body text not null,
    attachments uuid[] not null default '{}',
    internal boolean not null default false,
    created_at timestamptz not null
);
create index ticket_message_of on ticket_message (ticket_id, id);

-- Who is for a suggestion.
create table ticket_vote (
    ticket_id uuid not null references ticket on delete cascade,
    user_id uuid not null references app_user,
    workspace_id uuid not null references workspace, -- in which the user voted
    created_at timestamptz not null default now(),
    primary key (ticket_id, user_id)
);
