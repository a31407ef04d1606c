-- What requests leave behind, and how many there may be.

-- Answers to requests with an Idempotency-Key, to be given again.
create table idempotency (
    credential text not null,
    key text not null,
    fingerprint bytea not null,            -- of the request: the same key with another request is refused
    status integer,                        -- null: still running
    headers jsonb,
    body bytea,
    created_at timestamptz not null default now(),
    -- null: of who has no workspace, or sees all of them
    workspace_id uuid default nullif(current_setting('signalpost.tenant', true), '')::uuid,
    primary key (credential, key)
);
create index idempotency_age on idempotency (created_at);

-- Token buckets of requests and guesses, of the whole installation. One that is full needs no row. Unlogged: after a
-- crash all are full.
create unlogged table request_bucket (
    name bytea primary key,                -- a digest: names hold addresses
    full_at timestamptz not null,          -- when it is full again if nobody takes any more
    granted integer not null               -- what the last taker got
) with (fillfactor = 50);

-- Takes tokens of these buckets, in this order, until one has none left: that one is the last row, with granted = 0.
-- Each grants at most what it is asked for, and no more than an eighth of what it has left, or what comes in a second.
create function take_request_tokens(p_names bytea[], p_capacities integer[], p_chunks integer[], p_window float8)
returns table (granted integer, tokens_left float8) language plpgsql as $$
#variable_conflict use_column
declare
    each float8;
    at timestamptz;
    until timestamptz;
begin
    for i in 1 .. cardinality(p_names) loop
        each := p_window / p_capacities[i];
        at := clock_timestamp();
        -- A time further away than a window is left over from a step of the clock.
        insert into request_bucket as b (name, full_at, granted) values (
            p_names[i], at + make_interval(secs => each * p_chunks[i]), p_chunks[i])
        on conflict (name) do update set (full_at, granted) = (
            select greatest(at, least(b.full_at, at + make_interval(secs => p_window)))
                + make_interval(secs => each * g.granted), g.granted
            from (select least(p_chunks[i], h.have, greatest(h.have / 8, ceil(1 / each)::integer)) as granted from (
                select floor(p_capacities[i] + 1e-6
                    - greatest(0, extract(epoch from least(b.full_at - at, make_interval(secs => p_window)))) / each
                )::integer as have) as h) as g)
        returning b.granted, b.full_at into granted, until;
        tokens_left := p_capacities[i] - extract(epoch from until - at) / each;
        return next;
        exit when granted < 1;
    end loop;
end $$;

-- The API calls of workspaces, in a partition for each day, which is dropped after a week.
create table request_log (
    workspace_id uuid not null,
    at timestamptz not null,               -- when the response was ready
    id uuid not null,
    operation text not null,
    method text not null,
    path text not null,
    status smallint not null,
    code text,                             -- of the problem
    duration_ms real not null,
    request_id text not null,
    mode text not null,
    user_id uuid not null,                 -- of a key: who created it
    key_id uuid,
    address text not null,
    omitted integer not null,              -- calls before this one that were too many to keep
    primary key (workspace_id, at, id)
) partition by range (at);

-- Makes the partitions of the next days and drops those that are older than a week. Nobody but the owner may use a
-- partition itself, so the policies of the table hold for all of them.
create function rotate_request_log() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    today date := (now() at time zone 'UTC')::date;
    name text;
begin
    perform pg_advisory_xact_lock(hashtext('rotate_request_log'));
    for n in -1..2 loop
        name := 'request_log_' || to_char(today + n, 'YYYYMMDD');
        if to_regclass(name) is null then
            execute format('create table %I partition of request_log for values from (%L) to (%L)', name,
                (today + n)::text || ' 00:00+00', (today + n + 1)::text || ' 00:00+00');
            execute format('alter table %I enable row level security', name);
        end if;
    end loop;
    for name in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'request_log'::regclass and c.relname < 'request_log_' || to_char(today - 7, 'YYYYMMDD')
    loop
        execute format('drop table %I', name);
    end loop;
end $$;
