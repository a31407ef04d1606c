import asyncio
import random
import time
from collections.abc import Collection, Sequence
from uuid import UUID

import pytest
from tests.counterparts.tools import CHECKOUT
from tests.helpers.engine import ALL_DONE, OVERLAPS, Work, add, running, until, value

from signalpost.engine import runner
from signalpost.engine.contract import Done, Lease
from signalpost.engine.engine import Engine
from signalpost.engine.wake import wake
from signalpost.kit import ids
from signalpost.kit.db import Database, Db

_LOUD_MEANWHILE = """
count(*) from ledger where not work = any($1)
    and began between (select min(uuid_extract_timestamp(i)) from unnest($1::uuid[]) i)
    and (select max(began) from ledger where work = any($1))
"""


async def test_the_items_of_a_lane_run_one_after_the_other(store: Database) -> None:
    """Serial execution per account keeps posts in order and within the network's limits."""
    lanes = [ids.new_id() for _ in range(5)]
    await add(store, lanes * 8)

    async with running(Engine(store, [Work(store, seconds=0.002)])):
        await until(store, ALL_DONE)

    assert await value(store, "count(*) from ledger") == 40
    assert await value(store, OVERLAPS) == 0
    assert await value(store, "count(*) from lane where owner is not null or next_due_at is not null") == 0


async def test_a_lane_never_has_more_items_in_flight_than_parallel(store: Database) -> None:
    await add(store, [ids.new_id()] * 20)
    at_once = most_at_once = 0

    class Counting(Work):
        async def run(self, lease: Lease, item: UUID) -> str | None:
            nonlocal at_once, most_at_once
            at_once += 1
            most_at_once = max(most_at_once, at_once)
            await super().run(lease, item)
            at_once -= 1
            return None

    async with running(Engine(store, [Counting(store, seconds=0.01, parallel=4)])):
        await until(store, ALL_DONE)

    assert most_at_once == 4


async def test_quiet_tenants_do_not_wait_for_a_burst(store: Database) -> None:
    """A plain queue ordered by due time served none of them before the whole burst."""
    loud, quiet = ids.new_id(), [ids.new_id() for _ in range(99)]
    source = Work(store, seconds=0.005)
    source.lanes = 16
    source.lanes_per_workspace = 8
    await add(store, [ids.new_id() for _ in range(500)] * 10, workspace_id=loud)

    async with running(Engine(store, [source])):
        await until(store, "count(*) > 50 from work where done_at is not null")
        items = [(await add(store, [ids.new_id()], workspace_id=workspace))[0] for workspace in quiet]
        await until(store, "count(*) = 99 from work where id = any($1) and done_at is not null", items)
        assert await value(store, "count(*) > 1000 from work where next_attempt_at is not null"), "burst was over"

    # Counted, not timed: a busy machine slows both. In order of due time the whole burst would run before them.
    assert await value(store, _LOUD_MEANWHILE, items) < 1000


async def test_one_long_lane_goes_behind_the_others(store: Database) -> None:
    """Even without workspaces, a lane with work left goes to the end of the queue."""
    source = Work(store, seconds=0.002)
    source.lanes = 1
    long, short = ids.new_id(), [ids.new_id() for _ in range(10)]
    await add(store, [long] * 200)
    await add(store, short)

    async with running(Engine(store, [source])):
        await until(store, "count(*) = 10 from ledger where lane = any($1)", short)

    before = "began < (select max(began) from ledger where lane = any($2))"
    assert await value(store, f"count(*) <= 60 from ledger where lane = $1 and {before}", long, short)


async def test_nothing_that_is_woken_while_lanes_are_released_is_lost(store: Database) -> None:
    """The race: an item committed between reading the items and releasing the lane."""
    lanes = [ids.new_id() for _ in range(3)]

    async def write(seed: int) -> None:
        random_ = random.Random(seed)
        for _ in range(60):
            await add(store, random_.sample(lanes, random_.randint(1, 3)))
            await asyncio.sleep(random_.random() * 0.004)

    async with running(Engine(store, [Work(store, batch=True)])), running(Engine(store, [Work(store, batch=True)])):
        await asyncio.gather(*(write(seed) for seed in range(12)))
        await until(store, ALL_DONE)

    assert await value(store, "count(*) from work where runs <> 1") == 0


async def test_an_item_due_later_starts_in_time(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker knows when; it does not find it by looking again, which is a minute away here."""
    monkeypatch.setattr(runner, "IDLE_SECONDS_MAX", 60.0)
    async with running(Engine(store, [Work(store)])):
        work = await add(store, [ids.new_id()], in_seconds=0.4)
        due = await value(store, "next_attempt_at from work where id = $1", *work)
        await until(store, ALL_DONE)

    early, late = await _lag(store, due)
    assert not early
    assert late < 30


async def test_a_stop_while_the_engine_connects_leaves_no_worker_registered(store: Database) -> None:
    """A registration that nobody closes would keep its session, and its row would count as a living worker."""
    engine = Engine(store, [Work(store)])
    task = asyncio.create_task(engine.run())
    await asyncio.sleep(0)  # it connects now

    await engine.stop()
    await task

    assert await value(store, "count(*) from worker") == 0


async def _lag(store: Database, due: object) -> tuple[bool, float]:
    async with store.connection() as db:
        lag = await db.fetchval("select extract(epoch from min(began) - $1)::float8 from ledger", due)
    return lag < 0, lag


async def test_an_item_that_raises_stops_neither_the_loop_nor_its_batch(store: Database) -> None:
    lane, other = ids.new_id(), ids.new_id()
    bad, *_ = await add(store, [lane, lane, other])
    runs = 0

    def explode(_lease: Lease, item: UUID) -> None:
        nonlocal runs
        if item == bad:
            runs += 1
            raise RuntimeError("unexpected")

    source = Work(store)
    source.on_run = explode
    began = await value(store, "clock_timestamp()")
    async with running(Engine(store, [source])):
        await until(store, "count(*) = 2 from work where done_at is not null")
        await asyncio.sleep(0.5)

    assert runs == 1, "the lane is paused"
    assert await value(store, "not_before > $2::timestamptz + interval '3 s' from lane where key = $1", lane, began)


async def test_a_row_that_cannot_be_settled_does_not_fail_the_others(store: Database) -> None:
    items = await add(store, [ids.new_id() for _ in range(10)])
    async with store.connection() as db:
        await db.execute(f"alter table work add check (id <> '{items[3]}' or done_at is null)")

    async with running(Engine(store, [Work(store, batch=True)])):
        await until(store, "count(*) = 9 from work where done_at is not null")

    assert await value(store, "done_at is null from work where id = $1", items[3])


async def test_pausing_the_lane_leaves_the_rest_for_later(store: Database) -> None:
    """After a 429 with Retry-After the account is left alone for that time."""
    items = await add(store, [ids.new_id()] * 4)
    source = Work(store)
    source.on_run = lambda lease, item: lease.pause_lane(60) if item == items[1] else None

    async with running(Engine(store, [source])):
        await until(store, "count(*) = 2 from work where done_at is not null")
        await until(store, "owner is null and not_before > now() + interval '50 s' from lane")

    assert source.handed_back == items[2:]


async def test_an_item_that_takes_too_long_is_ended(store: Database) -> None:
    await add(store, [ids.new_id()])
    source = Work(store, seconds=60)
    source.item_seconds_max = 0.1

    async with running(Engine(store, [source])):
        await until(store, "owner is null and not_before > now() from lane")


async def test_stop_lets_running_items_end_and_hands_leases_back(store: Database) -> None:
    await add(store, [ids.new_id() for _ in range(10)])
    await add(store, [ids.new_id()] * 5)
    async with running(Engine(store, [Work(store, seconds=0.2)])):
        await until(store, "count(*) >= 11 from ledger")

    assert await value(store, "count(*) from ledger where ended is null") == 0
    assert await value(store, "count(*) from lane where owner is not null") == 0
    assert await value(store, "count(*) from worker") == 0


async def test_stop_cancels_items_that_do_not_end_and_hands_them_back(store: Database) -> None:
    items = await add(store, [ids.new_id()] * 2)
    source = Work(store, seconds=60)
    started = time.monotonic()
    async with running(Engine(store, [source]), grace_seconds=0.3):
        await until(store, "exists (select from ledger)")

    assert time.monotonic() - started < 30
    assert sorted(source.handed_back) == sorted(items)
    assert await value(store, "owner is null and next_due_at is not null from lane")


async def test_a_hundred_ticks_at_once_do_everything_once(store: Database) -> None:
    """Any number of cron jobs may call `POST /queue/process`."""
    await add(store, [ids.new_id() for _ in range(30)] * 10)
    engines = [Engine(store, [Work(store, seconds=0.001)]) for _ in range(3)]

    reports = await asyncio.gather(*(engines[n % 3].tick(limit=50, budget_seconds=200) for n in range(100)))
    again = await engines[0].tick()
    for engine in engines:
        await engine.stop()

    assert sum(report.claimed["work"] for report in reports) + again.claimed["work"] == 300
    assert await value(store, "count(*) from work where runs = 1") == 300
    assert await value(store, OVERLAPS) == 0
    assert again.remaining == 0


async def test_a_tick_is_bounded_by_its_limit_and_reports(store: Database) -> None:
    await add(store, [ids.new_id()] * 20)
    engine = Engine(store, [Work(store)])

    report = await engine.tick(limit=12)
    await engine.stop()

    assert report.claimed == {"work": 12}
    assert report.outcomes == {"work": {"done": 12}}
    assert report.remaining == 8
    assert report.oldest_due_age_seconds > 0


async def test_status_reports_overdue_work_and_whether_a_worker_runs(store: Database) -> None:
    engine = Engine(store, [Work(store)])
    work = await add(store, [ids.new_id()] * 3, in_seconds=-120)
    await add(store, [ids.new_id()], in_seconds=-1)

    before = await engine.status()
    async with running(engine):
        await until(store, ALL_DONE)
        await until(store, "exists (select from worker where looped_at is not null)")
        after = await engine.status()

    assert (before.running, before.overdue, len(work)) == (False, 3, 3)
    assert (after.running, after.workers, after.overdue) == (True, 1, 0)


async def test_status_tells_of_items_behind_a_lane_that_hangs(store: Database) -> None:
    """A worker may be frozen with it: nothing else would tell."""
    source = Work(store)
    await add(store, [ids.new_id()], in_seconds=-source.item_seconds_max - 120)
    await add(store, [ids.new_id()], in_seconds=-source.item_seconds_max)
    async with store.connection() as db:
        await db.execute("update lane set owner = $1, lease_until = now() + interval '30 s'", ids.new_id())

    status = await Engine(store, [source]).status()

    assert status.overdue == 1
    assert status.sources["work"].ready_lanes == 0
    assert 400 < status.sources["work"].oldest_due_age_seconds < 450


@pytest.mark.parametrize("told", [True, False])
async def test_waking_reaches_other_processes(store: Database, monkeypatch: pytest.MonkeyPatch, told: bool) -> None:
    """A worker looks once a second also when the process that woke a lane dies before it tells."""
    assert runner.IDLE_SECONDS_MAX == 1.0
    if told:
        monkeypatch.setattr(runner, "IDLE_SECONDS_MAX", 60.0)
    async with running(Engine(store, [Work(store)])):
        await asyncio.sleep(0.3)
        lane, work = ids.new_id(), ids.new_id()
        async with store.transaction() as db:
            await db.execute("select set_config('client_min_messages', $1, true)", "notice" if told else "error")
            await _insert(db, work, lane)
        seconds = await until(store, ALL_DONE)

    assert seconds < 30


async def _insert(db: Db, work: UUID, lane: UUID) -> None:
    due = await db.fetchval(
        "insert into work (id, lane, next_attempt_at) values ($1, $2, now()) returning now()", work, lane
    )
    await wake(db, "work", [lane], workspace_id=None, platforms=[None], due=[due])


def test_lanes_are_woken_by_the_engine_only() -> None:
    """The rules of `wake` are kept where they are written; the statements of posts are literal, to paste into psql."""
    modules = [path for path in (CHECKOUT / "src" / "signalpost").rglob("*.py") if "migrations" not in path.parts]
    spelled = {f"{path.parent.name}/{path.name}" for path in modules if "wake_lanes(" in path.read_text()}
    assert spelled == {"engine/wake.py", "write/writer.py", "many/submission.py"}


async def test_a_row_locked_elsewhere_keeps_back_its_own_lane_only(store: Database) -> None:
    """Neither a locked lane nor a locked item makes the release of other lanes wait."""
    lane = ids.new_id()
    gate, locked, release_lock = asyncio.Event(), asyncio.Event(), asyncio.Event()
    tries: list[UUID] = []
    _, locked_item, *_ = await add(store, [lane, *(ids.new_id() for _ in range(3))])

    class Skipping(Work):
        async def run(self, lease: Lease, item: UUID) -> str | None:
            await gate.wait()
            return await super().run(lease, item)

        async def settle(self, db: Db, done: Sequence[Done[UUID, str]]) -> Collection[UUID]:
            tries.extend(one.item for one in done)
            rows = await db.fetch(
                "select id from work where id = any($1) for update skip locked", [one.item for one in done]
            )
            free = {row["id"] for row in rows}
            await super().settle(db, [one for one in done if one.item in free])
            return {one.key for one in done if one.item not in free}

    async def hold() -> None:
        async with store.transaction() as db:
            await db.execute("select from lane where key = $1 for update", lane)
            await db.execute("select from work where id = $1 for update", locked_item)
            locked.set()
            await release_lock.wait()

    async with running(Engine(store, [Skipping(store, batch=True)])):
        await until(store, "count(*) = 4 from lane where owner is not null")
        holder = asyncio.create_task(hold())
        await locked.wait()
        gate.set()
        await until(store, "count(*) = 2 from work where done_at is not null")
        assert await value(store, "count(*) from lane where owner is not null") == 2
        release_lock.set()
        await holder
        await until(store, ALL_DONE)
        await until(store, "not exists (select from lane where owner is not null)")

    assert tries.count(locked_item) > 1
    assert await value(store, "count(*) from work where runs = 1") == 4


async def test_a_locked_lane_that_was_taken_away_is_dropped(store: Database) -> None:
    """Who waits for the lock of a lane that is no longer ours would wait for nothing."""
    (item,) = await add(store, [ids.new_id()])
    gate = asyncio.Event()

    class Gated(Work):
        async def run(self, lease: Lease, item: UUID) -> str | None:
            await gate.wait()
            return await super().run(lease, item)

    engine = Engine(store, [Gated(store, batch=True)])
    async with running(engine):
        await until(store, "count(*) = 1 from lane where owner is not null")
        async with store.connection() as db:
            await db.execute("update lane set owner = $1", ids.new_id())
        async with store.transaction() as db:
            await db.execute("select from lane for update")
            gate.set()
            async with asyncio.timeout(30):
                while engine._leases():
                    await asyncio.sleep(0.01)

    assert await value(store, "runs from work where id = $1", item) == 0
