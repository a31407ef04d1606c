-- Webhooks and what is delivered to them.

-- Where a workspace receives events.
create table webhook (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    url text not null,
    events text[] not null,
    name text,
    description text,
    profile_ids uuid[],                    -- null: all of the workspace
    delivery_mode text not null default 'retry' check (delivery_mode in ('retry', 'single', 'poll')),
    status text not null default 'active' check (status in ('active', 'paused', 'disabled')), -- deleted: disabled
    disabled_reason text,
    secret bytea not null,                 -- sealed
    former_secret bytea,                   -- sealed; signs beside the new one until
    former_secret_until timestamptz,
    consecutive_failures integer not null default 0, -- attempts
    consecutive_lost integer not null default 0, -- deliveries that failed for good
    last_success_at timestamptz,
    last_failure_at timestamptz,
    enabled_at timestamptz not null default now(), -- made, or enabled again after it was disabled
    created_by jsonb not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    mode text not null default 'live' check (mode in ('live', 'test')), -- events of live or of test posts
    next_secret bytea,                     -- sealed; signs beside the current one until it is activated
    -- paused, or disabled by us: what it misses is kept; null: it misses nothing
    stopped_at timestamptz,
    replay jsonb                           -- the latest one
) with (fillfactor = 70);
create index webhook_listing on webhook (workspace_id, created_at desc, id desc) where deleted_at is null;
create index webhook_deleted on webhook (deleted_at) where deleted_at is not null;
create index webhook_recording on webhook (workspace_id) where status = 'active' or stopped_at is not null;

-- One event for one webhook, with the exact bytes; a row is its own job, as a target is.
create table delivery (
    id uuid primary key,                   -- the envelope's id
    workspace_id uuid not null,
    webhook_id uuid not null references webhook,
    event_id uuid not null,                -- one event, several webhooks
    type text not null,
    body bytea not null,                   -- the exact bytes of every attempt
    state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'permanently_failed',
        'skipped')),
    attempts integer not null default 0,   -- that came to an end, extra ones included
    scheduled integer not null default 0,  -- of those the ones of the schedule: 0 to 6
    next_attempt_at timestamptz,           -- the schedule; null: it is over
    resend_at timestamptz,                 -- an extra attempt that was asked for
    due_at timestamptz generated always as (least(next_attempt_at, resend_at)) stored,
    started_at timestamptz,                -- set while an attempt runs; found set by a claim: the worker died on it
    crashes integer not null default 0,    -- starts of the present attempt that never came to an end
    last_attempt_at timestamptz,
    last_status integer,
    last_error text,
    last_response text,
    last_duration_ms integer,
    log jsonb not null default '[]',       -- the latest 20 attempts: [{at, resend, status, error, duration_ms}]
    created_at timestamptz not null default now(),
    delivered_at timestamptz
) with (fillfactor = 80);
create index delivery_due on delivery (webhook_id, due_at) where due_at is not null;
create index delivery_listing on delivery (webhook_id, created_at desc, id desc);
-- What a stopped webhook missed, and what waits to be fetched; the engine looks at neither.
create index delivery_idle on delivery (webhook_id, created_at, id)
    where due_at is null and state in ('pending', 'skipped');

-- Numbers for the events of a post. Each transaction takes one, and counts its events from there.
create sequence event_sequence increment by 10000;
