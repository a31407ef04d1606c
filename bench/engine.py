"""The engine against its floor: `python -m bench.engine [--quick]`. Starts its own PostgreSQL in a temporary folder.

(a) Items a second of a drain that does nothing but write each row's end, against a bare asyncpg loop that claims lanes
    and ends rows on the same tables. Target: at least 15,000 a second in one process.
(b) CPU of this process for one whole turn of a lane: claim, run, settle, release, with one item per lane, as posts are
    published. Target: at most 150 us.
(c) 20,000 items of 10,000 lanes of 2,000 workspaces, due at one moment, each taking 20 ms: when the last workspace's
    first item starts, against the fair time (workspaces / rate). Target: at most twice as late.
(d) From due to start, with nothing else and with 1,000,000 items far in the future. Target: p50 5 ms, p99 50 ms.
"""

import argparse
import asyncio
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from uuid import UUID, uuid4

import uvloop

from signalpost.embedded_postgres.start import start_postgres
from signalpost.engine.contract import Done, Lease, Source
from signalpost.engine.engine import Engine
from signalpost.engine.wake import wake
from signalpost.kit import ids
from signalpost.kit.db import Database, Db
from signalpost.migrations.runner import migrate

_SCHEMA = """
create table bench_item (id uuid primary key, lane uuid not null, state text not null default 'waiting',
    next_attempt_at timestamptz, finished_at timestamptz) with (fillfactor = 80);
create index bench_item_due on bench_item (lane, next_attempt_at) where next_attempt_at is not null;
"""
_FILL = """
insert into bench_item (id, lane, next_attempt_at)
select gen_random_uuid(), ($1::uuid[])[1 + n % cardinality($1::uuid[])], now() + make_interval(secs => $3)
from generate_series(1, $2::int) as n
"""
_DUE = """
select k.key, i.id, i.next_attempt_at from unnest($1::uuid[]) as k(key) cross join lateral (
    select id, next_attempt_at from bench_item where lane = k.key and next_attempt_at <= now()
    order by next_attempt_at limit $2) i
"""
_END = "update bench_item set state = 'done', next_attempt_at = null, finished_at = now() where id = any($1)"
_BARE_CLAIM = """
update lane set owner = $1, lease_until = now() + interval '30 s' where (kind, key) in (
    select kind, key from lane where kind = 'bench' and owner is null and next_due_at is not null and wake_at <= now()
    order by wake_at limit 64 for update skip locked) returning key
"""
_BARE_RELEASE = """
update lane l set owner = null, next_due_at = (
    select min(next_attempt_at) from bench_item i where i.lane = l.key and next_attempt_at is not null),
    not_before = now()
where kind = 'bench' and key = any($1)
"""


class Nothing(Source[tuple[UUID, float], bool]):
    kind = "bench"
    table = "bench_item"
    key_column = "lane"
    per_lane = 20

    def __init__(self) -> None:
        self.lags: list[float] = []
        self.left = 0
        self.finished = asyncio.Event()

    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, tuple[UUID, float]]]:
        rows = await db.fetch(_DUE, [lease.key for lease in leases], per_lane)
        return [(row[0], (row[1], row[2].timestamp())) for row in rows]

    async def run(self, lease: Lease, item: tuple[UUID, float]) -> bool:  # noqa: ARG002 - the interface
        self.lags.append(time.time() - item[1])
        return True

    async def settle(self, db: Db, done: Sequence[Done[tuple[UUID, float], bool]]) -> Collection[UUID]:
        await db.execute(_END, [one.item[0] for one in done])
        self.left -= len(done)
        if self.left <= 0:
            self.finished.set()
        return ()


async def _fill(
    database: Database, lanes: list[UUID], count: int, seconds: float = 0.0, *, workspace_id: UUID | None = None
) -> None:
    async with database.transaction() as db:
        await db.execute(_FILL, lanes, count, seconds)
        due = await db.fetchval("select now() + make_interval(secs => $1)", seconds)
        await wake(db, "bench", lanes, workspace_id=workspace_id, platforms=[None] * len(lanes), due=[due] * len(lanes))


async def bare(database: Database, count: int, lanes: int) -> float:
    """Items a second of the least that does the same to the same rows: one connection, no leases, no tasks."""
    await _fill(database, [uuid4() for _ in range(lanes)], count)
    owner, started = uuid4(), time.perf_counter()
    async with database.connection() as db:
        while True:
            async with db.transaction():
                keys = [row[0] for row in await db.fetch(_BARE_CLAIM, owner)]
                rows = await db.fetch(_DUE, keys, Nothing.per_lane)
            if not keys:
                return count / (time.perf_counter() - started)
            async with db.transaction():
                await db.execute(_END, [row[1] for row in rows])
                await db.execute(_BARE_RELEASE, keys)


async def drain(database: Database, count: int, lanes: int) -> float:
    """Items a second of the engine."""
    source = Nothing()
    source.left = count
    engine = Engine(database, [source])
    await _fill(database, [uuid4() for _ in range(lanes)], count)
    started = time.perf_counter()
    task = asyncio.create_task(engine.run())
    await source.finished.wait()
    rate = count / (time.perf_counter() - started)
    await engine.stop()
    await task
    return rate


class Single(Nothing):
    per_lane = 1
    lanes = 256


async def turn(database: Database, count: int) -> float:
    """Microseconds of CPU of this process for each lane, drained of its only item."""
    source = Single()
    source.left = count
    engine = Engine(database, [source])
    await _fill(database, [uuid4() for _ in range(count)], count)
    started = time.process_time()
    task = asyncio.create_task(engine.run())
    await source.finished.wait()
    seconds = time.process_time() - started
    await engine.stop()
    await task
    return seconds / count * 1e6


class Turns(Single):
    """Items that take 20 ms, as a quick network does; remembers each workspace's first start."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[UUID | None, float] = {}

    async def run(self, lease: Lease, item: tuple[UUID, float]) -> bool:
        self.first.setdefault(lease.workspace_id, time.perf_counter())
        await asyncio.sleep(0.02)
        return await super().run(lease, item)


async def fair(database: Database, workspaces: int) -> tuple[float, float, float]:
    """Items a second; and seconds until the last workspace's first item starts, measured and fair."""
    source = Turns()
    source.left = workspaces * 10
    for _ in range(workspaces):
        await _fill(database, [uuid4() for _ in range(5)], 10, workspace_id=uuid4())
    engine = Engine(database, [source])
    started = time.perf_counter()
    task = asyncio.create_task(engine.run())
    await source.finished.wait()
    rate = workspaces * 10 / (time.perf_counter() - started)
    await engine.stop()
    await task
    return rate, max(source.first.values()) - started, workspaces / rate


async def lag(database: Database, count: int, per_second: float) -> tuple[float, float]:
    """p50 and p99, in milliseconds, from due to start, of single items due at random times in their own lanes."""
    source = Nothing()
    source.left = count
    engine = Engine(database, [source])
    task = asyncio.create_task(engine.run())
    await asyncio.sleep(1.5)
    for _ in range(count):
        await _fill(database, [uuid4()], 1, random.uniform(0, 3))
        await asyncio.sleep(random.expovariate(per_second))
    await asyncio.wait_for(source.finished.wait(), 30)
    await engine.stop()
    await task
    cuts = statistics.quantiles([seconds * 1000 for seconds in source.lags], n=100)
    return cuts[49], cuts[98]


async def _far_future(database: Database, count: int) -> None:
    async with database.connection() as db:
        await db.execute("truncate bench_item, lane")
    lanes = [ids.new_id() for _ in range(max(1, count // 100))]
    for _ in range(10):
        await _fill(database, lanes, count // 10, 30 * 86_400)


async def measure(dsn: str, *, quick: bool) -> None:
    await migrate(dsn)
    database = await Database.open(dsn, connections_max=8)
    async with database.connection() as db:
        await db.execute(_SCHEMA)
    count, far, singles = (30_000, 100_000, 200) if quick else (150_000, 1_000_000, 600)
    rounds = [(await bare(database, count, 2_000), await drain(database, count, 2_000)) for _ in range(3)]
    floor, engine = (statistics.median(column) for column in zip(*rounds, strict=True))
    print("| measure | floor | engine | ratio | target |\n|---|---|---|---|---|")
    print(f"| no-op drain, items/s | {floor:,.0f} | {engine:,.0f} | {floor / engine:.2f} | >= 15,000 |")
    cpu = statistics.median([await turn(database, count // 3) for _ in range(3)])
    print(f"| CPU of one turn of a lane, us | | {cpu:,.0f} | | <= 150 |")
    rate, last, fair_seconds = await fair(database, 500 if quick else 2_000)
    print(
        f"| start of the last workspace, s, at {rate:,.0f}/s | {fair_seconds:.2f} | {last:.2f} "
        f"| {last / fair_seconds:.2f} | <= 2 |"
    )
    for rows in (0, far):
        await _far_future(database, rows)
        p50, p99 = await lag(database, singles, 60)
        print(f"| start lag with {rows:,} far-future rows, ms | | p50 {p50:.1f}, p99 {p99:.1f} | | p50 5, p99 50 |")
    await database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    quick = parser.parse_args().quick
    folder = Path(tempfile.mkdtemp(prefix="signalpost-bench-"))
    folder.chmod(0o755)
    cluster = start_postgres(folder)
    try:
        uvloop.run(measure(cluster.dsn(), quick=quick))
    finally:
        cluster.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
