"""Posts, their targets, attempts, audit log."""

from signalpost.migrations import sql

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
    media_ids uuid[] not null default '{}', -- every file of it, those of the thread and of targets included
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
    recurrence_parent_id uuid references post on delete set null,
    source_post_id uuid references post on delete set null,
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
create unique index post_external on post (workspace_id, external_id)
    where external_id is not null and deleted_at is null;
create index post_media on post using gin (media_ids) where media_ids <> '{}';
create index post_purge on post (purge_at) where purge_at is not null;
create index post_recurring on post (recurrence_parent_id) where recurrence_parent_id is not null;
create index post_source on post (source_post_id) where source_post_id is not null;
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
    tries integer not null default 0,      -- attempts since it was last accepted: pending starts anew
    crashes integer not null default 0,    -- attempts and looks in a row that never came to an end
    reconciles integer not null default 0, -- looks for an unknown outcome that could not tell
    dedupe_key text not null,
    steps jsonb not null default '{}',     -- the journal: what was done, step by step
    intent jsonb,                          -- {step, value, at}: open = a create call may have been sent
    pending_state jsonb,                   -- {state, polls, since, intent}: while the network still works
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
create index target_duplicates on target (content_hash);
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

-- Posts that stand in the way of one with these contents (queued or published within 24 hours) or this external id.
-- Locks first, then looks with a fresh snapshot: of two equal posts written at the same time, the second one sees the
-- first. One round trip, which is why it is a function.
create function twins_of(p_workspace uuid, p_mode text, p_hashes bytea[], p_external text, p_but uuid)
returns table (kind text, post_id uuid, account_id uuid) language plpgsql as $$
begin
    perform pg_advisory_xact_lock(h.key) from (
        select distinct hashtextextended(encode(u.hash, 'hex'), 0) as key from unnest(p_hashes) as u(hash) order by 1
    ) h;
    return query
        select 'content', t.post_id, t.account_id
        from target t join post p on p.id = t.post_id
        where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace and p.mode = p_mode
            and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null
            and greatest(p.queued_at, t.published_at, p.created_at) > now() - interval '24 hours'
            and p.id is distinct from p_but
        union all
        select 'external', p.id, null::uuid from post p
        where p.workspace_id = p_workspace and p.external_id = p_external and p.deleted_at is null
            and p.id is distinct from p_but
        limit 10;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
