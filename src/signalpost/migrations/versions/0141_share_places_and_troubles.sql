-- Limits that hold for the whole installation, not for each of its processes: decision 0479. All of it is unlogged: it
-- waits for no disk, and after a crash of the database no stream is open and no server is taken for broken.

-- Processes with open streams of events. Their streams count until `held_until`, which they move on.
create unlogged table stream_process (
    id uuid primary key,
    held_until timestamptz not null
) with (fillfactor = 50);

-- How many streams of an owner a process has.
create unlogged table stream_place (
    process_id uuid not null references stream_process on delete cascade,
    owner_id uuid not null,
    streams integer not null,
    primary key (process_id, owner_id)
) with (fillfactor = 50);
create index stream_place_owner on stream_place (owner_id);

-- States how many streams of these owners a process has or is about to have, and returns how many it may have: all
-- processes together have at most p_most of an owner. p_is_all: it has none of other owners.
-- The places of a process that has stated nothing for p_seconds are free: it died, froze, or could not reach us. When it
-- comes back, it has what others left.
create function hold_stream_places(
    p_process uuid, p_owners uuid[], p_streams integer[], p_is_all boolean, p_most integer, p_seconds float8
) returns integer[] language plpgsql as $$
declare
    granted integer[] := p_streams;
    demand record;
    others bigint;
begin
    -- Others look at the same time: with a second left, they count what is held on to here.
    update stream_process set held_until = clock_timestamp() + make_interval(secs => p_seconds)
    where id = p_process and held_until > clock_timestamp() + interval '1 second';
    if not found then
        delete from stream_process where id = p_process;
        delete from stream_process where id in (
            select id from stream_process where held_until < clock_timestamp() order by id limit 100
            for update skip locked);
        insert into stream_process values (p_process, clock_timestamp() + make_interval(secs => p_seconds));
    end if;
    if p_is_all then
        delete from stream_place where process_id = p_process and owner_id <> all(p_owners);
    end if;
    -- In one order, so that two processes do not wait for each other.
    for demand in
        select u.owner_id, u.streams, u.n::integer as n, coalesce(p.streams, 0) as before,
            lane_lock('stream', u.owner_id) as number
        from unnest(p_owners, p_streams) with ordinality as u(owner_id, streams, n)
        left join stream_place p on p.process_id = p_process and p.owner_id = u.owner_id
        where p.streams is distinct from u.streams
        order by number
    loop
        if demand.streams > demand.before then
            -- Held for the rest of this statement; nobody takes it in a transaction that waits for its client.
            perform pg_advisory_xact_lock(2, demand.number);
            -- A time further away is left over from a step of the clock.
            select coalesce(sum(p.streams), 0) into others
            from stream_place p join stream_process o on o.id = p.process_id
            where p.owner_id = demand.owner_id and p.process_id <> p_process and o.held_until > clock_timestamp()
                and o.held_until < clock_timestamp() + make_interval(secs => 2 * p_seconds);
            granted[demand.n] := least(demand.streams, greatest(0, p_most - others));
        end if;
        insert into stream_place values (p_process, demand.owner_id, granted[demand.n])
        on conflict (process_id, owner_id) do update set streams = excluded.streams;
    end loop;
    return granted;
end $$;

-- Servers of networks that gave accounts no usable answer lately, and limits that accounts met there lately.
create unlogged table network_trouble (
    name text primary key,                 -- 'server <network>:<host>', or 'limit <key of the rate bucket>'
    accounts jsonb not null,               -- the last of them: id -> second of the time
    noted_at timestamptz not null default clock_timestamp(),
    wait_seconds double precision,         -- between two looks whether the server works; null: it is not broken
    probe_at timestamptz                   -- when the next look is due, which moves it on: one process has each look
) with (fillfactor = 50);
