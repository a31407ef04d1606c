"""Rate budgets shared by all workers: one row per (platform, app), tokens taken for a whole batch at once."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from signalpost.kit.db import Db

_DECLARE = """
insert into rate_bucket (key, tokens, capacity, per_second) values ($1, $2, $2, $3)
on conflict (key) do update set capacity = excluded.capacity, per_second = excluded.per_second
where (rate_bucket.capacity, rate_bucket.per_second) is distinct from (excluded.capacity, excluded.per_second)
"""
_HOLD = """
update rate_bucket set not_before = greatest(not_before, now() + make_interval(secs => $2)) where key = $1
"""
# A refill time far in the future is left over from a clock step; a little ahead only means that another was faster.
_LOCK = """
select key, per_second, greatest(0, extract(epoch from not_before - clock_timestamp()))::float8 as held,
    least(capacity,
        tokens + per_second * greatest(0, extract(epoch from clock_timestamp() - refilled_at)))::float8 as has
from rate_bucket where key = any($1) order by key for no key update
"""
_TAKE = """
update rate_bucket b set tokens = w.tokens, refilled_at = case
    when b.refilled_at > clock_timestamp() + interval '5 seconds' then clock_timestamp()
    else greatest(b.refilled_at, w.at) end
from (select k.key, k.tokens, clock_timestamp() as at from unnest($1::text[], $2::float8[]) as k(key, tokens)) w
where b.key = w.key
"""
HOLD_SECONDS_MAX = 60.0


class Grant(NamedTuple):
    """`tokens` may be used now; the n-th item beyond them (from 0) waits `first + n * each` seconds."""

    tokens: int
    first: float
    each: float

    def wait_seconds(self, position: int) -> float:
        """Return how long the item at `position` beyond the granted ones waits, at most a minute."""
        return min(HOLD_SECONDS_MAX, self.first + position * self.each)


async def declare(db: Db, key: str, *, capacity: float, per_second: float) -> None:
    """Make a bucket known (full), or change its size. A key without a bucket is not limited."""
    await db.execute(_DECLARE, key, capacity, per_second)


async def hold(db: Db, key: str, seconds: float) -> None:
    """Grant nothing for so long: the network answered 429 for the whole app."""
    await db.execute(_HOLD, key, float(seconds))


async def take(db: Db, wanted: Mapping[str, int]) -> dict[str, Grant]:
    """Take up to `wanted` tokens of each bucket, for good; unknown buckets are missing in the answer.

    Holds the buckets locked until the transaction ends: call it last.
    """
    rows = await db.fetch(_LOCK, list(wanted))
    grants, left = {}, []
    for row in rows:
        granted = 0 if row["held"] > 0 else min(wanted[row["key"]], math.floor(row["has"]))
        left.append(row["has"] - granted)
        each = 1 / row["per_second"]
        grants[row["key"]] = Grant(granted, max(row["held"], (1 - left[-1]) * each, 0.0), each)
    if rows:
        await db.execute(_TAKE, [row["key"] for row in rows], left)
    return grants
