"""Rate budgets shared by all workers: one row per (platform, server, app), tokens taken for a whole batch at once."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from signalpost.engine.contract import Lease
from signalpost.kit.db import Db

PAUSE_SECONDS_MAX = 60.0

_DECLARE = """
insert into rate_bucket (key, tokens, capacity, per_second) select $1, $2, $2, $3
where not exists (select from rate_bucket where key = $1 and capacity = $2 and per_second = $3)
on conflict (key) do update set capacity = excluded.capacity, per_second = excluded.per_second
"""
# `on conflict` alone would wait for a transaction that holds the row.
_ENSURE = """
insert into rate_bucket (key, tokens, capacity, per_second) select $1, $2, $2, $3
where not exists (select from rate_bucket where key = $1) on conflict (key) do nothing
"""
_FORGET = "delete from rate_bucket where greatest(refilled_at, not_before) < now() - interval '1 day'"
_PAUSE = """
update rate_bucket set not_before = greatest(not_before, now() + make_interval(secs => $2)) where key = $1
"""
_RESUME = "update rate_bucket set not_before = null where key = $1 and not_before > now()"
# Never waits: a bucket that another worker has locked (a frozen one, perhaps) grants nothing, and is asked again soon.
_LOCK = """
with free as materialized (
    select key, greatest(0, extract(epoch from not_before - clock_timestamp()))::float8 as paused_seconds,
        least(capacity,
            tokens + per_second * greatest(0, extract(epoch from clock_timestamp() - refilled_at)))::float8 as tokens
    from rate_bucket where key = any($1) order by key for no key update skip locked
)
select b.key, b.per_second, f.paused_seconds, f.tokens from rate_bucket b left join free f on f.key = b.key
where b.key = any($1)
"""
LOCKED_SECONDS = 0.1
# A refill time far in the future is left over from a clock step; slightly ahead only means that another worker was
# faster.
_TAKE = """
update rate_bucket b set tokens = w.tokens, refilled_at = case
    when b.refilled_at > clock_timestamp() + interval '5 seconds' then clock_timestamp()
    else greatest(b.refilled_at, w.at) end
from (select k.key, k.tokens, clock_timestamp() as at from unnest($1::text[], $2::float8[]) as k(key, tokens)) w
where b.key = w.key
"""


class Grant(NamedTuple):
    """`tokens` may be used now; the n-th item beyond them (from 0) waits `first_seconds + n * each_seconds`."""

    tokens: int
    first_seconds: float
    each_seconds: float

    def wait_seconds(self, position: int) -> float:
        """Return how long the item at `position` beyond the granted ones waits, at most a minute."""
        return min(PAUSE_SECONDS_MAX, self.first_seconds + position * self.each_seconds)


async def declare(db: Db, key: str, *, capacity: float, per_second: float) -> None:
    """Create a bucket (full), or change its size. A key without a bucket is not limited."""
    await db.execute(_DECLARE, key, capacity, per_second)


async def ensure(db: Db, key: str, *, capacity: float, per_second: float) -> None:
    """Create a bucket (full) if there is none; waits for no transaction that holds it."""
    await db.execute(_ENSURE, key, capacity, per_second)


async def forget_idle(db: Db) -> None:
    """Remove buckets that nobody has used for a day, so that they are full."""
    await db.execute(_FORGET)


async def pause(db: Db, key: str, seconds: float) -> None:
    """Grant nothing for this long: the network answered 429 for the whole app."""
    await db.execute(_PAUSE, key, float(seconds))


async def resume(db: Db, key: str) -> None:
    """End a pause."""
    await db.execute(_RESUME, key)


async def take(db: Db, demand: Mapping[str, int]) -> dict[str, Grant]:
    """Take up to `demand` tokens from each bucket; they are not given back. Unknown buckets are left out of the answer.

    Keeps the buckets locked until the transaction ends: call it last.
    """
    rows = await db.fetch(_LOCK, list(demand))
    grants: dict[str, Grant] = {}
    left: dict[str, float] = {}
    for row in rows:
        key, each_seconds = row["key"], 1 / row["per_second"]
        if row["tokens"] is None:
            grants[key] = Grant(0, LOCKED_SECONDS, each_seconds)
            continue
        granted = 0 if row["paused_seconds"] > 0 else min(demand[key], math.floor(row["tokens"]))
        left[key] = row["tokens"] - granted
        grants[key] = Grant(granted, max(row["paused_seconds"], (1 - left[key]) * each_seconds, 0.0), each_seconds)
    if left:
        await db.execute(_TAKE, list(left), list(left.values()))
    return grants


async def admit(db: Db, needs: Sequence[tuple[Lease, str | None]]) -> list[bool]:
    """Take a token for each item of a claim, from the bucket that it names; None: it needs no token.

    The lane of an item that gets none waits until the bucket has tokens again. Call it last, see `take`.

    Returns:
        for each, whether it may start.
    """
    demand = Counter(bucket for _, bucket in needs if bucket is not None)
    grants = await take(db, demand) if demand else {}
    used: Counter[str] = Counter()
    admitted = []
    for lease, bucket in needs:
        grant = None if bucket is None else grants.get(bucket)
        if bucket is not None and grant is not None:
            used[bucket] += 1
            if used[bucket] > grant.tokens:
                lease.pause_lane(grant.wait_seconds(used[bucket] - grant.tokens - 1))
                admitted.append(False)
                continue
        admitted.append(True)
    return admitted
