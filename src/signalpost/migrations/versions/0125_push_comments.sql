-- Networks that say at once that something was written: decision 0451.
create table comment_push (
    account_id uuid primary key references account on delete cascade,
    workspace_id uuid not null references workspace,
    platform text not null,
    remote_id text not null,               -- the network's id of the account: what is pushed names it
    look_at timestamptz,                   -- the last look that was brought forward; null: none yet
    tried_at timestamptz,                  -- when the network was last asked to push; null: not yet
    last_error text                        -- why it does not
);
create index comment_push_remote on comment_push (platform, remote_id);
-- Whether the network pushes. The version before knows nothing of it, and writes accounts without it.
alter table account add column comments_pushed boolean not null default false;
