"""Rates of requests and guesses are counted for the whole installation, not by each process."""

from signalpost.migrations import sql

revision = "0076"
down_revision = "0075"

SQL = """
-- Token buckets of requests and guesses. One that is full needs no row. Unlogged: after a crash all are full.
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
"""


def upgrade() -> None:
    sql.execute(SQL)
