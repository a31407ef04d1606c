"""Transactions that write items against the release of their lane: none waits for another's end, no wake-up is lost."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta
from itertools import combinations
from typing import TypeAlias
from uuid import UUID

import pytest
from tests.helpers.engine import ALL_DONE, Work, add, running, until, value

from signalpost.engine import runner
from signalpost.engine.engine import Engine
from signalpost.engine.lanes import LaneStatements
from signalpost.engine.wake import wake
from signalpost.kit import ids
from signalpost.kit.db import Database, Db

Step: TypeAlias = Callable[[], Awaitable[object]]


def interleavings(first: list[Step], second: list[Step]) -> Iterator[list[tuple[int, Step]]]:
    """Every order of all steps that keeps the order within `first` (0) and within `second` (1)."""
    total = len(first) + len(second)
    for places in combinations(range(total), len(first)):
        steps = (iter(first), iter(second))
        yield [(who, next(steps[who])) for who in (0 if place in places else 1 for place in range(total))]


class Writer:
    """A transaction that writes an item and wakes its lane, step by step."""

    def __init__(self, db: Db, lane: UUID, due: datetime) -> None:
        self.db, self.lane, self.due = db, lane, due
        self.transaction = db.transaction()
        self.steps: list[Step] = [self.transaction.start, self._insert, self._wake, self.transaction.commit]

    async def _insert(self) -> None:
        statement = "insert into work (id, lane, next_attempt_at) values ($1, $2, $3)"
        await self.db.execute(statement, ids.new_id(), self.lane, self.due)

    async def _wake(self) -> None:
        await wake(self.db, "work", [self.lane], workspace_id=None, platforms=[None], due=[self.due])


class Release:
    """The release of a lane whose items are done, step by step."""

    def __init__(self, store: Database, db: Db, lane: UUID, owner: UUID) -> None:
        self.statements = LaneStatements(Work(store))
        self.db, self.lane, self.owner = db, lane, owner
        self.locked: set[UUID] = set()
        self.excluded: list[UUID] = []
        self.transaction = db.transaction()
        self.steps: list[Step] = [
            self.transaction.start, self._lock, self._exclude, self._free, self.transaction.commit,
        ]  # fmt: skip

    async def _lock(self) -> None:
        self.locked = await self.statements.lock(self.db, [self.lane], [1], self.owner)

    async def _exclude(self) -> None:
        self.excluded = await self.statements.exclude_wakers(self.db, list(self.locked))

    async def _free(self) -> None:
        await self.statements.free(self.db, list(self.locked), [0.0] * len(self.locked), self.excluded)


@pytest.mark.parametrize("due_seconds", [-1.0, 60.0])
@pytest.mark.parametrize("lane_due_seconds", [None, -5.0, 120.0])
async def test_whenever_an_item_is_committed_its_lane_is_woken(
    store: Database, due_seconds: float, lane_due_seconds: float | None
) -> None:
    """All 126 orders of the steps of a writer and of a release; a step that waits goes on beside the next ones."""
    now = await value(store, "now()")
    assert isinstance(now, datetime)
    due = now + timedelta(seconds=due_seconds)
    lane_due = None if lane_due_seconds is None else now + timedelta(seconds=lane_due_seconds)
    blank: list[Step] = [_nothing] * 4
    async with store.connection() as writer_db, store.connection() as release_db, store.connection() as db:
        for order in range(sum(1 for _ in interleavings(blank, [*blank, _nothing]))):
            lane, owner = ids.new_id(), ids.new_id()
            await db.execute(
                "insert into lane (kind, key, next_due_at, owner, fence) values ('work', $1, $2, $3, 1)",
                lane, lane_due, owner,
            )  # fmt: skip
            release = Release(store, release_db, lane, owner)
            writer = Writer(writer_db, lane, due)
            await _play(list(interleavings(writer.steps, release.steps))[order])

            row = await db.fetchrow("select owner, next_due_at, now() as ended from lane where key = $1", lane)
            assert row is not None
            assert row["next_due_at"] is not None, f"order {order}: the item is forgotten"
            assert row["next_due_at"] <= max(due, row["ended"]), f"order {order}: the item is late"
            assert (row["owner"] is None) == bool(release.locked), order


async def _nothing() -> None:
    pass


async def _play(order: list[tuple[int, Step]]) -> None:
    """Run the steps; each party's next step waits for its last one, the other's goes on after a moment."""
    last: dict[int, asyncio.Task[object]] = {}
    for who, step in order:
        before = last.get(who)
        last[who] = asyncio.create_task(_after(before, step))
        await asyncio.wait([last[who]], timeout=0.01)
    await asyncio.gather(*last.values())


async def _after(before: "asyncio.Task[object] | None", step: Step) -> object:
    if before is not None:
        await before
    return await step()


async def test_writers_of_one_lane_do_not_wait_for_each_other(store: Database) -> None:
    lane = ids.new_id()
    await add(store, [lane], in_seconds=60)
    now = await value(store, "now()")
    assert isinstance(now, datetime)
    async with store.connection() as first, store.connection() as second:
        open_writer = Writer(first, lane, now + timedelta(seconds=70))
        for step in open_writer.steps[:-1]:
            await step()
        async with asyncio.timeout(20):
            for step in Writer(second, lane, now + timedelta(seconds=80)).steps:
                await step()
        await open_writer.steps[-1]()

    assert await value(store, "count(*) from work where lane = $1", lane) == 3


async def test_a_release_waits_for_no_writer(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one writes, the lane is looked at again and again; once it has committed, its item runs."""
    monkeypatch.setattr(runner, "IDLE_SECONDS_MAX", 60.0)
    lane = ids.new_id()
    await add(store, [lane])
    now = await value(store, "now()")
    assert isinstance(now, datetime)
    async with running(Engine(store, [Work(store, batch=True)])), store.connection() as db:
        writer = Writer(db, lane, now)
        for step in writer.steps[:-1]:
            await step()
        await until(store, "count(*) = 1 from work where done_at is not null")
        await until(store, "owner is null and fence > 3 from lane")
        await writer.steps[-1]()
        seconds = await until(store, ALL_DONE)

    assert seconds < 30
    assert await value(store, "count(*) from work where runs = 1") == 2


async def test_a_transaction_may_wake_any_number_of_lanes(store: Database) -> None:
    """One advisory lock for each would use up the server's table of locks."""
    await add(store, [ids.new_id() for _ in range(20_000)], in_seconds=60)

    assert await value(store, "count(*) from lane") == 20_000
