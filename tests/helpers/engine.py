"""A source of work for tests: rows of table `work`, and a ledger of what really happened, written past the engine."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from itertools import compress
from uuid import UUID

from signalpost.engine import buckets
from signalpost.engine.contract import Done, Lease, Source
from signalpost.engine.engine import Engine
from signalpost.engine.wake import wake_sql
from signalpost.kit import clock, ids
from signalpost.kit.db import Database, Db

SCHEMA = """
create table if not exists work (id uuid primary key, lane uuid not null, next_attempt_at timestamptz,
    bucket text, done_at timestamptz, done_by uuid, runs integer not null default 0);
create index if not exists work_due on work (lane, next_attempt_at) where next_attempt_at is not null;
create table if not exists ledger (work uuid not null, lane uuid not null, process integer not null,
    began timestamptz not null default clock_timestamp(), ended timestamptz);
create table if not exists claimed (began timestamptz not null, ended timestamptz not null, items integer not null);
"""

_PLATFORMS = "array_fill($6::text, array[count(*)::integer])"
_WAKE = wake_sql(
    "work", keys="array_agg(lane)", due="array_agg(next_attempt_at)", workspace_id="$5::uuid", platforms=_PLATFORMS
)
# One statement, so that the lane is there soon after its time: a worker that looks later than that finds it later.
_ADD = f"""
with written as (
    insert into work (id, lane, next_attempt_at, bucket)
    select k.id, k.lane, now() + make_interval(secs => $3), $4 from unnest($1::uuid[], $2::uuid[]) as k(id, lane)
    returning lane, next_attempt_at
)
select {_WAKE} from written
"""
_SECONDS_MAX = 240.0
_LEDGER_END = "update ledger set ended = clock_timestamp() where work = $1 and process = $2 and ended is null"


class Work(Source[UUID, str]):
    """Items write into the ledger when they begin and end, and end themselves under the lease or through `settle`.

    `notes_claims`: each claim notes when it looked for items, when it had them, and how many.
    """

    kind = "work"
    table = "work"
    key_column = "lane"
    per_lane = 5

    def __init__(self, database: Database, *, seconds: float = 0.0, parallel: int = 1, batch: bool = False) -> None:
        self.database = database
        self.seconds = seconds
        self.parallel = parallel
        self.batch = batch
        self.notes_claims = False
        self.handed_back: list[UUID] = []
        self.on_run: Callable[[Lease, UUID], None] | None = None

    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, UUID]]:
        rows = await db.fetch(
            """select k.key, w.id, w.bucket from unnest($1::uuid[]) as k(key) cross join lateral (
                select id, bucket from work where lane = k.key and next_attempt_at <= now()
                order by next_attempt_at, id limit $2) w""",
            [lease.key for lease in leases],
            per_lane,
        )
        lanes = {lease.key: lease for lease in leases}
        admitted = await buckets.admit(db, [(lanes[row["key"]], row["bucket"]) for row in rows])
        if self.notes_claims:
            await db.execute("insert into claimed values (now(), clock_timestamp(), $1)", sum(admitted))
        return [(row["key"], row["id"]) for row in compress(rows, admitted)]

    async def run(self, lease: Lease, item: UUID) -> str | None:
        if self.on_run is not None:
            self.on_run(lease, item)
        if self.batch:
            lease.count("done")
            return "done"
        await self._ledger("insert into ledger (work, lane, process) values ($1, $2, $3)", item, lease.key, os.getpid())
        await asyncio.sleep(self.seconds)
        await self._ledger(_LEDGER_END, item, os.getpid())
        async with lease.transaction() as db:
            await db.execute(
                "update work set next_attempt_at = null, done_at = now(), done_by = $2, runs = runs + 1 where id = $1",
                item,
                lease.owner,
            )
        lease.count("done")
        return None

    async def settle(self, db: Db, done: Sequence[Done[UUID, str]]) -> Collection[UUID]:
        await db.execute(
            "update work set next_attempt_at = null, done_at = now(), runs = runs + 1 where id = any($1)",
            [one.item for one in done if one.error is None],
        )
        return ()

    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, UUID]]) -> None:
        self.handed_back += [item for _, item in items]

    async def _ledger(self, statement: str, *values: object) -> None:
        async with self.database.connection() as db:
            await db.execute(statement, *values)


async def add(
    database: Database,
    lanes: Sequence[UUID],
    *,
    workspace_id: UUID | None = None,
    in_seconds: float = 0.0,
    bucket: str | None = None,
    platform: str = "test",
) -> list[UUID]:
    """Write one item per entry of `lanes`, due then, and wake."""
    work = [ids.new_id() for _ in lanes]
    async with database.connection() as db:
        await db.execute(_ADD, work, lanes, in_seconds, bucket, workspace_id, platform)
    return work


@asynccontextmanager
async def running(engine: Engine, *, grace_seconds: float = 10.0) -> AsyncIterator[Engine]:
    task = asyncio.create_task(engine.run())
    try:
        yield engine
    finally:
        await engine.stop(grace_seconds)
        await task


async def until(database: Database, condition: str, *values: object) -> float:
    """Wait until an SQL condition is true, about as long as a test may take; return after how many seconds."""
    started = clock.monotonic()
    while clock.monotonic() - started < _SECONDS_MAX:
        async with database.connection() as db:
            if await db.fetchval(f"select {condition}", *values):
                return clock.monotonic() - started
        await asyncio.sleep(0.02)
    raise AssertionError(f"not within {_SECONDS_MAX} s: {condition}")


async def value(database: Database, expression: str, *values: object) -> object:
    async with database.connection() as db:
        return await db.fetchval(f"select {expression}", *values)


ALL_DONE = "not exists (select from work where next_attempt_at is not null)"
OVERLAPS = """(select count(*) from ledger a join ledger b on a.lane = b.lane and a.ctid < b.ctid
    and a.began < coalesce(b.ended, 'infinity') and b.began < coalesce(a.ended, 'infinity')
    where a.ended is not null and b.ended is not null)"""
