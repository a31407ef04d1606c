"""Posts, their targets, attempts, audit log."""

from alembic import op

revision = "0005"
down_revision = "0004"

SQL = """
create table post (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    title text,
    text text not null default '',
    media jsonb not null default '[]',     -- [{mediaId, altText?, thumbnailMediaId?, thumbnailTimeMs?, userTags?}]
    link text,
    thread jsonb not null default '[]',    -- [{text, media[]}]
    first_comment text,
    status text not null check (status in
        ('draft', 'scheduled', 'queued', 'publishing', 'published', 'partial', 'failed')),
    approval jsonb not null default '{"state": "not_required"}',
    publish_mode text not null check (publish_mode in ('now', 'schedule', 'draft', 'slot')),
    scheduled_at timestamptz,
    scheduled_local timestamp,             -- the wall time that was wished, kept with its zone
    timezone text not null,
    tzdata_version text,
    recurrence jsonb,
    recurrence_parent_id uuid references post,
    source_post_id uuid references post,
    fanout_id uuid,
    external_id text,
    tags text[] not null default '{}',
    campaign text,
    utm jsonb,
    shorten_links boolean not null default false,
    notes text,
    options jsonb not null default '{}',
    auto_fit boolean not null default true,
    allow_duplicate boolean not null default false,
    warnings jsonb not null default '[]',
    created_by jsonb not null,             -- {type, id, name}
    created_by_user_id uuid,
    source text not null check (source in
        ('api', 'dashboard', 'messaging', 'bulk', 'fanout', 'link', 'recurrence')),
    mode text not null check (mode in ('live', 'test')),
    counted boolean not null default false, -- one unit of the plan's posts is spent on it
    version integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    queued_at timestamptz,
    published_at timestamptz,
    deleted_at timestamptz,
    purge_at timestamptz,
    former_status text                     -- what it was when it was trashed
) with (fillfactor = 80);
create index post_listing on post (workspace_id, created_at desc, id desc) where deleted_at is null;
create index post_profile_listing on post (profile_id, created_at desc, id desc) where deleted_at is null;
create index post_trash on post (workspace_id, deleted_at desc, id desc) where deleted_at is not null;
create unique index post_external on post (workspace_id, external_id) where external_id is not null and deleted_at is null;
create index post_scheduled on post (workspace_id, scheduled_at) where status = 'scheduled' and deleted_at is null;

create table target (
    id uuid primary key,
    post_id uuid not null references post on delete cascade,
    workspace_id uuid not null references workspace,
    account_id uuid not null references account,
    position smallint not null,
    platform text not null,
    status text not null check (status in ('pending', 'publishing', 'processing', 'published', 'retrying', 'unknown',
        'failed', 'cancelled', 'removed')),
    text text, media jsonb, title text, options jsonb, -- overrides; null: the post's
    scheduled_at timestamptz,              -- override of the post's time
    content_hash bytea not null,           -- account, normalised text, media hashes: duplicate guard
    due_at timestamptz,                    -- when it was to go out; null while the post is a draft
    next_attempt_at timestamptz,           -- set = work waits; null = nothing to do
    held text,                             -- approval | account | plan: due but not to be taken
    attempts integer not null default 0,
    reconciles integer not null default 0,
    dedupe_key text not null,
    steps jsonb not null default '{}',     -- the journal: what was done, step by step
    intent jsonb,                          -- {step, value, at}: open = a create call may have been sent
    pending_state jsonb,                   -- what `poll` needs while the network still works
    delivery text check (delivery in ('live', 'inbox', 'private')),
    remote_id text,
    url text,
    thread_ids text[] not null default '{}',
    first_comment jsonb not null default '{"status": "none"}',
    error jsonb,
    started_at timestamptz,
    published_at timestamptz,
    removed_at timestamptz,
    updated_at timestamptz not null default now(),
    unique (post_id, account_id)
) with (fillfactor = 70);
create index target_due on target (account_id, next_attempt_at) where next_attempt_at is not null;
create index target_duplicates on target (account_id, content_hash);
create index target_account_published on target (account_id, published_at desc) where published_at is not null;

create table attempt (
    id uuid primary key,
    workspace_id uuid not null,
    post_id uuid not null references post on delete cascade,
    target_id uuid not null references target on delete cascade,
    number integer not null,
    kind text not null default 'publish' check (kind in ('publish', 'reconcile', 'poll')),
    owner uuid not null,                   -- the worker: fence
    content_hash bytea not null,
    started_at timestamptz not null default now(),
    intent_at timestamptz,
    finished_at timestamptz,
    duration_ms integer,
    outcome text,
    http_status integer,
    request jsonb,                         -- {method, host, path}
    response text,                         -- redacted, at most 4 KB
    error jsonb
) with (fillfactor = 80);
create index attempt_target on attempt (target_id, started_at);

create table audit (
    id uuid primary key,
    workspace_id uuid not null,
    post_id uuid not null references post on delete cascade,
    target_id uuid,
    at timestamptz not null default now(),
    action text not null,
    actor jsonb not null,
    changes jsonb,
    attempt jsonb,
    request_id text
);
create index audit_post on audit (post_id, at desc, id desc);
"""


def upgrade() -> None:
    op.execute(SQL)
