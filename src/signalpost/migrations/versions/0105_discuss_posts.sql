-- What a team, and those with a link for approval, say to each other about a post.
create table post_message (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    post_id uuid not null references post on delete cascade,
    reply_to_id uuid references post_message on delete set null,
    author jsonb not null,
    user_id uuid,                          -- whose it is; null: of someone with a link
    text text not null,
    mentions jsonb not null,               -- [{member_id, name}]
    created_at timestamptz not null
);
create index post_message_listing on post_message (post_id, created_at, id);
create index post_message_replies on post_message (reply_to_id) where reply_to_id is not null;
