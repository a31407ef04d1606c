"""What a post that is published alone makes the database write: `python -m bench.writes [--quick]`.

Posts for the sandbox that are due at once, each when the one before is published: bytes of WAL a post, from the
request to the end of its attempt; the share of updates that write no index (HOT); bytes of rows and indexes, without
the space of former versions. Counts, so that other work on the machine changes little. Targets: 5 kB of WAL, 80 % HOT,
2.8 kB of rows with seals.

The floor is the same on the tables of bench.floor in the same server: insert, begin, end, three commits. Autovacuum and
checkpoints are off, apart from one before each run, whose images of whole pages are spread over the posts; what the
idle service writes is subtracted.

Then what a look for comments writes that finds nothing new, with a post of each of sixty accounts due at once. Target:
500 bytes of WAL. (Of one alone, what the idle service writes meanwhile says more than the look.)
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any

import asyncpg
import uvloop

from bench import floor
from bench.publishing import BEGIN, END, FILL, INDEX, Tenant
from bench.service import created, serving, temporary_folder
from signalpost.kit import ids

IDLE_SECONDS = 20
"""As often as a network is asked for comments, and once for everything that happens more often."""
LOOKS_SECONDS_MAX = 300
_WRITTEN = """
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
    coalesce((select sum(n_tup_upd) from pg_stat_user_tables where relname ~ $1), 0)::float8 as updates,
    coalesce((select sum(n_tup_hot_upd) from pg_stat_user_tables where relname ~ $1), 0)::float8 as hot
"""
_BYTES = "select sum(pg_total_relation_size(relid))::float8 from pg_stat_user_tables where relname = any($1)"
_TABLES = ("post", "target", "attempt", "audit", "audit_seal")
_FLOOR_TABLES = ("floor_post", "floor_target")
_IS_FLOOR, _IS_OURS = "^floor_", "^(?!floor_)"
_POSTS = "select distinct on (account_id) target_id from comment_source order by account_id, published_at desc limit $1"
_MAKE_DUE = """
update comment_source set next_attempt_at = now() + (not target_id = any($1))::int * interval '1 hour', failures = 0
"""
_LOOKED = "select not exists (select from comment_source where target_id = any($1) and next_attempt_at <= now())"
_QUIET = ("alter system set autovacuum = off", "alter system set checkpoint_timeout = '1h'", "select pg_reload_conf()")


@dataclass(frozen=True)
class Cost:
    """Of one post."""

    wal: float
    bytes: float
    hot: float


class Meter:
    """Reads what the server has written."""

    def __init__(self, db: "asyncpg.Connection[Any]") -> None:
        self.db = db

    async def cost(
        self, count: int, tables: Sequence[str], updated: str, work: Callable[[], Awaitable[None]], *, idle: bool
    ) -> Cost:
        """Return what each of `count` posts costs that `work` publishes. `idle`: subtract what happens anyway."""
        anyway = [0.0] * 3
        if idle:
            before = await self._read(updated)
            await asyncio.sleep(IDLE_SECONDS)
            anyway = [(new - old) / IDLE_SECONDS for new, old in zip(await self._read(updated), before, strict=True)]
        size = await self._size(tables)
        await self.db.execute("checkpoint")
        before, started = await self._read(updated), time.monotonic()
        await work()
        after, seconds = await self._read(updated), time.monotonic() - started
        each = zip(after, before, anyway, strict=True)
        wal, updates, hot = (new - old - seconds * usual for new, old, usual in each)
        return Cost(wal / count, (await self._size(tables) - size) / count, hot / updates)

    async def _read(self, updated: str) -> list[float]:
        await asyncio.sleep(1.5)  # the other sessions report what they did within a second
        return list(await self.db.fetchrow(_WRITTEN, updated))

    async def _size(self, tables: Sequence[str]) -> float:
        for table in tables:
            await self.db.execute(f"vacuum full {table}")
        size: float = await self.db.fetchval(_BYTES, list(tables))
        return size


async def publish(db: "asyncpg.Connection[Any]", tenant: Tenant, count: int) -> None:
    for _ in range(count):
        body = tenant.body(datetime.now(UTC))
        del body["scheduledAt"]
        post = ids.decode("pst", created(tenant.client, "/posts", body)["id"])
        while await db.fetchval("select published_at is null from target where post_id = $1", post):  # noqa: ASYNC110
            await asyncio.sleep(0.002)


async def publish_least(db: "asyncpg.Connection[Any]", count: int) -> None:
    for _ in range(count):
        await db.execute(FILL, [ids.new_id()], datetime.now(UTC))
        rows = await db.fetch(BEGIN, 1)
        await db.execute(END, [row["id"] for row in rows], [row["post_id"] for row in rows])


async def look(db: "asyncpg.Connection[Any]", posts: int, rounds: int) -> float:
    """Return how many bytes of WAL a look for the comments of a post writes, of so many posts that are due together."""

    async def written() -> float:
        await asyncio.sleep(1.5)  # what is still under way ends
        at: float = (await db.fetchrow(_WRITTEN, _IS_OURS))["wal"]
        return at

    async def run(targets: list[Any]) -> tuple[float, float]:
        await db.execute(_MAKE_DUE, targets)
        before, began = await written(), time.monotonic()
        stop_at = began + LOOKS_SECONDS_MAX
        while not await db.fetchval(_LOOKED, targets):
            if time.monotonic() > stop_at:
                raise TimeoutError("the posts are not looked at")
            await asyncio.sleep(0.2)
        await asyncio.sleep(max(0.0, began + IDLE_SECONDS - time.monotonic()))
        return await written() - before, time.monotonic() - began

    targets = [row["target_id"] for row in await db.fetch(_POSTS, posts)]
    await run(targets)  # what is new is stored, and pages are written for the first time
    pairs = [(await run([]), await run(targets)) for _ in range(rounds)]  # what the posts left to do fades over both
    return median(busy - seconds * idle / idle_seconds for (idle, idle_seconds), (busy, seconds) in pairs) / len(
        targets
    )


async def compare(count: int) -> None:
    with temporary_folder() as folder, serving(folder) as service:
        tenant = Tenant(service)
        db = await asyncpg.connect(service.cluster.dsn(user="postgres"))
        meter = Meter(db)
        try:
            for statement in (*_QUIET, floor.SCHEMA, INDEX):
                await db.execute(statement)
            await publish(db, tenant, count // 10)  # so that every table and index has its first pages
            await publish_least(db, count // 10)
            least = await meter.cost(count, _FLOOR_TABLES, _IS_FLOOR, lambda: publish_least(db, count), idle=False)
            ours = await meter.cost(count, _TABLES, _IS_OURS, lambda: publish(db, tenant, count), idle=True)
            looked = await look(db, 60, 5)
        finally:
            await db.close()
    print("| a post that is published alone | floor | service | ratio | target |")
    print("|---|---|---|---|---|")
    print(f"| WAL, bytes | {least.wal:,.0f} | {ours.wal:,.0f} | {ours.wal / least.wal:.1f} | <= 5,000 |")
    print(f"| updates that write no index | {least.hot:.0%} | {ours.hot:.0%} | | >= 80 % |")
    ratio = ours.bytes / least.bytes
    print(f"| rows and indexes, bytes | {least.bytes:,.0f} | {ours.bytes:,.0f} | {ratio:.1f} | <= 2,800 |")
    print(f"| WAL of a look for comments, bytes | | {looked:,.0f} | | <= 500 |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer posts")
    uvloop.run(compare(200 if parser.parse_args().quick else 1_000))


if __name__ == "__main__":
    main()
