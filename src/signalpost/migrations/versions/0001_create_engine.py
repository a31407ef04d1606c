"""Lanes, workers, rate buckets and general jobs: how anything happens later."""

from signalpost.migrations import sql

revision = "0001"
down_revision = None

SQL = """
create table worker (
    id uuid primary key,
    lock_key bigint not null,              -- the session advisory lock this worker holds while it lives
    host text not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    looped_at timestamptz                  -- its claiming loops went round; null: it only works inside requests
) with (fillfactor = 50);

create table lane (
    kind text not null,                    -- which source: 'target', 'delivery', 'job'
    key uuid not null,                     -- account, webhook or queue
    workspace_id uuid,
    platform text,
    next_due_at timestamptz,               -- earliest due item; null: nothing waits
    not_before timestamptz,                -- fairness, rate limits, Retry-After
    owner uuid,                            -- the worker that holds it
    fence bigint not null default 0,       -- raised by every claim: tells a worker's later lease from its earlier one
    lease_until timestamptz,
    wake_at timestamptz generated always as (greatest(next_due_at, not_before)) stored,
    primary key (kind, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index lane_wake on lane (kind, wake_at) where owner is null and next_due_at is not null;
create index lane_owner on lane (owner) where owner is not null;

create table rate_bucket (
    key text primary key,                  -- '<platform>:<app>'
    tokens double precision not null,
    capacity double precision not null,
    per_second double precision not null check (per_second > 0),
    refilled_at timestamptz not null default now(),
    not_before timestamptz
) with (fillfactor = 50);

create table job (
    id uuid primary key,
    queue uuid not null,                   -- lane key
    kind text not null,                    -- which handler
    workspace_id uuid,
    payload jsonb not null default '{}',
    unique_key text unique,                -- at most one open job of this name; failed ones let go of it
    revision integer not null default 0,   -- raised when it is enqueued again under its unique_key
    state text not null default 'waiting' check (state in ('waiting', 'failed')), -- a finished job is deleted
    attempts integer not null default 0,
    crashes integer not null default 0,    -- attempts that never came to an end
    started_at timestamptz,                -- set while it runs; found set by a claim: the worker died on it
    next_attempt_at timestamptz,           -- set = work waits
    last_error text,
    failure_code text,
    created_at timestamptz not null default now(),
    failed_at timestamptz
) with (fillfactor = 70);
create index job_due on job (queue, next_attempt_at) where next_attempt_at is not null;
create index job_failed on job (failed_at) where state = 'failed';

-- The one way to say "something is due": creates or advances lanes, and hints waiting workers when it is due at once.
-- Arrays of one length; the same lane may stand in them several times.
-- The row is locked even when its time does not change: the release of that lane then waits for this transaction and
-- sees its items. NOTIFY takes a database-wide lock at commit; `alter database ... set signalpost.notify = off` does
-- without it, workers then look once a second.
create function wake_lanes(
    p_kind text, p_keys uuid[], p_workspace uuid, p_platforms text[], p_due timestamptz[]
) returns void language plpgsql as $$
declare
    changed integer;
begin
    insert into lane (kind, key, workspace_id, platform, next_due_at)
    select p_kind, w.key, p_workspace, min(w.platform), min(w.due)
    from unnest(p_keys, p_platforms, p_due) as w(key, platform, due)
    where w.due is not null
    group by w.key
    order by w.key                         -- one order for all writers: no deadlocks
    on conflict (kind, key) do update set next_due_at = least(lane.next_due_at, excluded.next_due_at)
    where lane.next_due_at is null or lane.next_due_at > excluded.next_due_at;
    get diagnostics changed = row_count;
    if changed > 0 and current_setting('signalpost.notify', true) is distinct from 'off'
        and exists (select from unnest(p_due) as d where d <= now() + interval '1 second') then
        perform pg_notify('lane', p_kind);
    end if;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
