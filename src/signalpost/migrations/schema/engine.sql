-- Lanes, workers and jobs: how anything happens later.

-- Processes that run, or were running.
create table worker (
    id uuid primary key,
    lock_key bigint not null,              -- the session advisory lock this worker holds while it lives
    host text not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    looped_at timestamptz,                 -- its claiming loops went round; null: it only works inside requests
    clock_problem text,                    -- why it pauses publishing; null: nothing is wrong
    clock_stepped boolean not null default false -- it saw the database clock jump: all workers pause
) with (fillfactor = 50);

-- Whatever can become due hangs on a lane, and workers lease lanes, not items: posts of one account are published one
-- after the other, and a million posts of next year cost nothing.
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

-- How fast an app may call a network, over all processes.
create table rate_bucket (
    key text primary key,                  -- '<platform>:<app>'
    tokens double precision not null,
    capacity double precision not null,
    per_second double precision not null check (per_second > 0),
    refilled_at timestamptz not null default now(),
    not_before timestamptz
) with (fillfactor = 50);

-- Background work, by name. A finished job is deleted.
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

-- While the row is there, no worker claims anything: the database came from a backup, and an operator has to look.
create table engine_hold (
    singleton boolean primary key default true check (singleton),
    reason text not null check (reason in ('restored')),
    backup_made_at timestamptz not null,
    held_at timestamptz not null default now()
);

-- Which server the engine works with, so that it notices when a standby has taken over.
create table engine_timeline (
    singleton boolean primary key default true check (singleton),
    system_identifier bigint not null,     -- of the cluster; a copy made by dump and restore has another
    timeline integer not null,             -- of its log; every promotion of a standby begins another
    is_synchronous boolean not null,       -- commits waited for a standby
    seen_at timestamptz not null default now(),
    successor integer,                     -- the timeline that is being looked at
    noticed_at timestamptz,                -- since when
    waits_for uuid[] not null default '{}' -- workers that have not said that it has all of theirs
);

-- The advisory lock of a lane: shared by transactions that write items, taken alone by the release. All lanes have
-- 4,096 locks together, so that no transaction can use up the server's table of locks; lanes that share one by chance
-- only wait a moment longer (decision 0033). With two arguments, (1, lane_lock), it is apart from all advisory locks
-- with one.
create function lane_lock(p_kind text, p_key uuid) returns integer language sql immutable parallel safe as $$
    select (hashtextextended(p_kind || p_key::text, 0) & 4095)::integer
$$;

-- The one way to say "something is due": creates or advances lanes, and tells its client (kind, and numbers of the
-- lanes that are due at once), which notifies workers after the commit: a transaction with NOTIFY keeps a lock of the
-- whole server from its commit until it is on disk.
-- Arrays of one length; the same lane may stand in them several times.
-- Writes a lane only if it is missing or its time comes nearer, and returns when a look says that there is no such
-- lane; the advisory lock, held until commit, does the rest:
-- - The release tries to take the lock alone, then reads the items with a new snapshot. If it gets the lock, no holder
--   is under way: whoever had it has committed, and that snapshot has the items; whoever comes later waits here until
--   the release has committed, and the statements below, with their own snapshots, see the lane's new time.
-- - If it does not get the lock, it leaves the lane ready, and a worker looks again a moment later.
-- So several statements: locks first, then a look. Each takes locks, and then rows, in one order, so writers do not
-- deadlock; who holds the lock alone waits for nothing.
create function wake_lanes(
    p_kind text, p_keys uuid[], p_workspace uuid, p_platforms text[], p_due timestamptz[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
    changed integer;
    numbers text;
begin
    perform pg_advisory_xact_lock_shared(1, w.lock) from (
        select distinct lane_lock(p_kind, u.key) as lock
        from unnest(p_keys, p_due) as u(key, due) where u.due is not null order by 1) w;
    if not exists (
        select from unnest(p_keys, p_due) as w(key, due)
        where w.due is not null
            and not exists (select from lane l where l.kind = p_kind and l.key = w.key and l.next_due_at <= w.due)
    ) then
        return;
    end if;
    insert into lane (kind, key, workspace_id, platform, next_due_at)
    select p_kind, w.key, p_workspace, min(w.platform), min(w.due)
    from unnest(p_keys, p_platforms, p_due) as w(key, platform, due)
    where w.due is not null
        and not exists (select from lane l where l.kind = p_kind and l.key = w.key and l.next_due_at <= w.due)
    group by w.key
    order by w.key
    on conflict (kind, key) do update set next_due_at = least(lane.next_due_at, excluded.next_due_at)
    where lane.next_due_at is null or lane.next_due_at > excluded.next_due_at;
    get diagnostics changed = row_count;
    if changed > 0 then
        select string_agg(distinct lane_lock(p_kind, w.key)::text, ',') into numbers
        from unnest(p_keys, p_due) as w(key, due) where w.due <= now() + interval '1 second';
        if numbers is not null then
            raise notice using errcode = 'SPWAK', message = p_kind, detail = numbers;
        end if;
    end if;
end $$;

-- Jobs of the installation belong to no workspace: who enqueues one must not see the others. Requests reach only jobs
-- of their workspace: an open job with this key is not that of another one, nor of the installation. Of the
-- installation's they may bring forward what runs periodically, as it is.
create function enqueue_job(
    p_id uuid, p_queue uuid, p_kind text, p_workspace uuid, p_payload jsonb, p_unique_key text, p_at timestamptz
) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
    written job;
begin
    if may_see(p_workspace) then
        insert into job (id, queue, kind, workspace_id, payload, unique_key, next_attempt_at)
        values (p_id, p_queue, p_kind, p_workspace, p_payload, p_unique_key, coalesce(p_at, now()))
        on conflict (unique_key) do update set revision = job.revision + 1, payload = excluded.payload,
            next_attempt_at = least(job.next_attempt_at, excluded.next_attempt_at)
            where job.workspace_id = p_workspace or current_setting('role') <> 'signalpost_service'
        returning * into written;
        if written.id is null then
            raise exception 'a job of another workspace has this key' using errcode = 'insufficient_privilege';
        end if;
    elsif p_workspace is null and p_payload = '{}' and p_unique_key = p_kind then
        update job set revision = revision + 1, next_attempt_at = least(next_attempt_at, coalesce(p_at, now()))
        where unique_key = p_kind and kind = p_kind and workspace_id is null and payload = '{}'
        returning * into written;
        if written.id is null then
            return null;  -- the first worker to start makes it, due at once
        end if;
    else
        raise exception 'another workspace' using errcode = 'insufficient_privilege';
    end if;
    perform wake_lanes('job', array[written.queue], written.workspace_id, array[null::text],
        array[written.next_attempt_at]);
    return written.id;
end $$;

-- When the oldest transaction began that has written and is not over. Only the role that signed in sees that of others.
create function oldest_write() returns timestamptz
language sql volatile security definer set search_path = public, pg_temp as $$
    select min(xact_start) from pg_stat_activity where datname = current_database() and backend_xid is not null
$$;
