"""Processes that die or hang, a database that goes away. The ledger records what really ran, and when."""

import asyncio
import contextlib
import random
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from tests.engine import program
from tests.faults.processes import Process, forks
from tests.helpers import engine
from tests.helpers.engine import ALL_DONE, Work, add, running, until, value

from signalpost.embedded_postgres.start import start_postgres
from signalpost.engine import buckets, contract, registration
from signalpost.engine import lease as lease_module
from signalpost.engine.contract import Lease, LeaseLost
from signalpost.engine.engine import Engine
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.migrations.runner import migrate

# Items that were written as done by a worker that no longer held the lane would show as runs > 1.
TWICE = "count(*) from work where runs > 1"
# A run that never ended belongs to a killed process; the same lane's next one must begin after the kill, which is what
# `process` distinguishes: two processes' ended runs never overlap.
CONCURRENT = """count(*) from ledger a join ledger b on a.lane = b.lane and a.process < b.process
    where a.ended is not null and b.ended is not null and a.began < b.ended and b.began < a.ended"""


_STANDS_STILL = """exists (select from pg_stat_activity where state = 'idle in transaction'
    and datname = current_database() and clock_timestamp() - state_change > interval '0.3 s')"""


@contextlib.asynccontextmanager
async def worker(dsn: str, seconds: float = 0.02, freeze: str = "") -> AsyncIterator[Process]:
    told, started = forks.Pipe(duplex=False)
    fork = forks.Process(target=program.run, args=(dsn, seconds, freeze, started), daemon=True)
    with told, started:
        fork.start()
        started.close()
        await asyncio.to_thread(told.recv)
    process = Process(fork)
    try:
        yield process
    finally:
        if process.runs:
            process.thaw()
            await process.stop()
        assert not process.runs


async def test_the_work_of_a_killed_process_runs_again_before_its_leases_end(store: Database) -> None:
    work = await add(store, [ids.new_id() for _ in range(4)])
    async with worker(store.dsn, seconds=60) as victim:
        await until(store, "count(*) = 4 from ledger")
        async with running(Engine(store, [Work(store)])):
            await asyncio.sleep(1.2)
            assert await value(store, "count(*) from ledger") == 4, "a living worker's lanes are left alone"
            victim.kill()
            seconds = await until(store, ALL_DONE)

    assert seconds < contract.LEASE_SECONDS / 2
    assert await value(store, "count(*) from work where id = any($1) and runs = 1", work) == 4
    assert await value(store, "count(*) from worker") == 0


async def test_sixty_kills_lose_nothing_and_never_run_a_lane_twice_at_once(store: Database) -> None:
    lanes = [ids.new_id() for _ in range(20)]
    await add(store, lanes * 40)
    random_ = random.Random(7)

    async def life() -> None:
        for _ in range(15):
            async with worker(store.dsn, seconds=0.005) as process:
                await asyncio.sleep(random_.uniform(0.05, 0.5))
                process.kill()

    await asyncio.gather(*(life() for _ in range(4)))
    async with running(Engine(store, [Work(store, seconds=0.001)])):
        await until(store, ALL_DONE)

    assert await value(store, TWICE) == 0
    assert await value(store, CONCURRENT) == 0


async def test_a_worker_stopped_past_its_lease_writes_nothing_when_it_wakes(store: Database) -> None:
    """Its session stays open, so only the lease tells that it is gone."""
    await add(store, [ids.new_id()] * 3)
    async with worker(store.dsn, seconds=3) as sleeper:
        await until(store, "exists (select from ledger)")
        sleeper.freeze()  # long before its item ends
        async with store.connection() as db:  # the thirty seconds pass
            await db.execute("update lane set lease_until = now() - interval '1 s'")
        async with running(Engine(store, [Work(store)])):
            await until(store, ALL_DONE)
            sleeper.thaw()
            await asyncio.sleep(1.5)  # the worker's stop, below, waits for what it still does

    assert await value(store, TWICE) == 0
    assert await value(store, "count(distinct done_by) from work") == 1


@pytest.mark.slow
@pytest.mark.parametrize("where", ["claim", "settle"])
async def test_a_worker_frozen_in_a_transaction_holds_up_nobody_else(store: Database, where: str) -> None:
    """Not even those who need the same rate bucket, or the lane it has: the server ends its session in time."""
    async with store.transaction() as db:
        await buckets.declare(db, "test:app", capacity=100, per_second=100)
    frozen, same_bucket, other = ids.new_id(), ids.new_id(), ids.new_id()
    await add(store, [frozen], bucket="test:app")
    async with worker(store.dsn, 0, where) as sleeper:
        await until(store, _STANDS_STILL)
        async with running(Engine(store, [Work(store, batch=True)])):
            await add(store, [other])
            await until(store, "done_at is not null from work where lane = $1", other)
            await add(store, [frozen])  # the writer waits for no lock either
            assert await value(store, _STANDS_STILL), "they have waited for the end of the session"
            await add(store, [same_bucket], bucket="test:app")
            await until(store, "done_at is not null from work where lane = $1", same_bucket)
            if where == "claim":
                await until(store, ALL_DONE)
        sleeper.kill()

    async with running(Engine(store, [Work(store, batch=True)])):
        await until(store, ALL_DONE)
    assert await value(store, TWICE) == 0


async def test_requests_that_use_up_the_connections_do_not_stop_the_engine(store: Database) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(store.pool.size - 1):
            await stack.enter_async_context(store.connection())
        async with running(Engine(store, [Work(store, batch=True)])):
            await add(store, [ids.new_id() for _ in range(50)])
            await stack.enter_async_context(store.connection())
            async with asyncio.timeout(30):
                while await _open_items(store):
                    await asyncio.sleep(0.02)


async def _open_items(store: Database) -> int:
    async with store.reserve.connection() as db:
        left: int = await db.fetchval("select count(*) from work where next_attempt_at is not null")
        return left


async def test_an_item_whose_lane_was_taken_away_stops_quietly(store: Database) -> None:
    lane = ids.new_id()
    (item,) = await add(store, [lane])
    seen: list[BaseException] = []

    class Slow(Work):
        async def run(self, lease: Lease, item: UUID) -> str | None:
            async with self.database.connection() as db:
                await db.execute("update lane set owner = $2 where key = $1", lane, ids.new_id())
            try:
                async with lease.transaction() as db:
                    await db.execute("update work set runs = 99")
            except LeaseLost as lost:
                seen.append(lost)
                raise
            return None

    engine = Engine(store, [Slow(store)])
    await engine.tick()
    await engine.stop()

    assert len(seen) == 1
    assert await value(store, "runs from work where id = $1", item) == 0


async def test_ensure_fresh_refuses_a_lease_that_may_have_expired(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last check before a call that cannot be undone does not need the database."""
    await add(store, [ids.new_id()])
    ends: list[str] = []

    def check(lease: Lease, _item: UUID) -> None:
        for late in (0, contract.LEASE_SECONDS + 1):
            monkeypatch.setattr(lease_module, "boottime", lambda late=late: registration.boottime() + late)
            try:
                lease.ensure_fresh()
                ends.append("fresh")
            except LeaseLost:
                ends.append("lost")

    source = Work(store)
    source.on_run = check
    engine = Engine(store, [source])
    await engine.tick()
    await engine.stop()

    assert ends == ["fresh", "lost"]


async def test_leases_of_long_items_are_renewed(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration, "RENEW_SECONDS", 0.2)
    await add(store, [ids.new_id()])
    gate = asyncio.Event()

    class Gated(Work):
        async def run(self, lease: Lease, item: UUID) -> str | None:
            await gate.wait()
            return await super().run(lease, item)

    async with running(Engine(store, [Gated(store)])):
        await until(store, "owner is not null from lane")
        first = await value(store, "lease_until from lane")
        await until(store, "lease_until > $1 from lane", first)
        gate.set()
        await until(store, ALL_DONE)

    assert await value(store, "count(*) from ledger") == 1


def _stop(folder: Path) -> None:
    start_postgres(folder).stop()


async def test_renewing_does_not_wait_for_a_locked_lane(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow transaction of one item must not cost the process its session, nor that item its lane.

    If a renewal waited for it, no heartbeat would come until its statement is given up, with the session.
    """
    monkeypatch.setattr(registration, "RENEW_SECONDS", 0.2)
    work = await add(store, [ids.new_id() for _ in range(2)])
    gate = asyncio.Event()

    class SlowTransaction(Work):
        async def run(self, lease: Lease, item: UUID) -> str | None:
            async with lease.transaction() as db:
                began.append(await db.fetchval("select clock_timestamp()"))
                await gate.wait()
                await db.execute("update work set next_attempt_at = null, runs = runs + 1 where id = $1", item)
            return None

    began: list[object] = []
    async with running(Engine(store, [SlowTransaction(store)])):
        await until(store, "exists (select from lane where owner is not null)")
        owner = await value(store, "id from worker")
        async with asyncio.timeout(60):
            while len(began) < len(work):
                await asyncio.sleep(0.02)
        await until(store, "seen_at > $1::timestamptz + interval '2 s' from worker", began[-1])
        gate.set()
        await until(store, ALL_DONE)
        assert await value(store, "id from worker") == owner

    assert await value(store, "count(*) from work where id = any($1) and runs = 1", work) == 2


@pytest.fixture
async def own_server() -> AsyncIterator[tuple[Path, Database]]:
    """A PostgreSQL of this test alone, to be restarted."""
    with tempfile.TemporaryDirectory(prefix="signalpost-test-") as name:
        folder = Path(name)
        await asyncio.to_thread(folder.chmod, 0o755)
        cluster = await asyncio.to_thread(start_postgres, folder)
        await migrate(cluster.dsn())
        database = await Database.open(cluster.dsn(), connections_max=10)
        async with database.connection() as db:
            await db.execute(engine.SCHEMA)
        yield folder, database
        await database.close()
        await asyncio.to_thread(_stop, folder)


async def test_restarts_of_the_database_under_load_lose_nothing(own_server: tuple[Path, Database]) -> None:
    """A worker keeps its id through a restart unless others took it for dead: running items go on."""
    folder, database = own_server
    await add(database, [ids.new_id() for _ in range(30)] * 30)
    engines = [Engine(database, [Work(database, seconds=0.003)]) for _ in range(2)]

    async with running(engines[0]), running(engines[1]):
        for _ in range(4):
            await asyncio.sleep(0.6)
            await asyncio.to_thread(_stop, folder)
            await asyncio.to_thread(start_postgres, folder)
        await asyncio.sleep(1)
        await until(database, ALL_DONE)

    assert await value(database, TWICE) == 0
    assert await value(database, "count(*) from work where done_at is null") == 0


async def test_the_engine_starts_before_its_database(own_server: tuple[Path, Database]) -> None:
    folder, database = own_server
    await add(database, [ids.new_id()])
    await asyncio.to_thread(_stop, folder)
    async with running(Engine(database, [Work(database)])):
        await asyncio.sleep(0.5)
        await asyncio.to_thread(start_postgres, folder)
        await until(database, ALL_DONE)
