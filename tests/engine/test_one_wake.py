"""One worker is notified of a lane, and another looks whether it was claimed. Nobody polls here: nothing else helps."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import UUID

import pytest
from tests.helpers.engine import ALL_DONE, Work, add, running, until, value

from signalpost.engine import lanes, registration, runner
from signalpost.engine.contract import Lease
from signalpost.engine.engine import Engine
from signalpost.kit import ids
from signalpost.kit.db import Database

NEVER = 1_000.0
ENGINES = 4


class Claims:
    """How often a claim was tried."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tried = 0
        claim = lanes.LaneStatements.claim

        async def counted(*arguments: object) -> object:
            self.tried += 1
            return await claim(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(lanes.LaneStatements, "claim", counted)


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> Claims:
    for name in ("IDLE_SECONDS_MAX", "IDLE_SECONDS_OF_OTHERS", "CLAIM_SECONDS"):
        monkeypatch.setattr(runner, name, NEVER)
    return Claims(monkeypatch)


@asynccontextmanager
async def engines(store: Database) -> AsyncIterator[list[Engine]]:
    """Several that claim and know of each other, in the order in which workers are listed."""
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(running(Engine(store, [Work(store)]))) for _ in range(ENGINES)]
        await until(store, "count(*) = $1 from worker where looped_at is not null", ENGINES)
        since = await value(store, "now()")
        await until(store, "min(seen_at) > $1::timestamptz + interval '2 s' from worker", since)
        async with asyncio.timeout(60):  # who was late with a heartbeat is not counted by the others until the next
            while sorted(engine._registration.place for engine in opened) != [*range(ENGINES)]:
                await asyncio.sleep(0.05)
        opened.sort(key=lambda engine: engine._registration.place)
        yield opened


async def test_a_lane_that_is_woken_is_claimed_once(
    store: Database, claims: Claims, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LOOK_SECONDS", NEVER)
    # The first workers look after each release of their own, and would find a lane that was woken for another.
    monkeypatch.setattr(registration, "POLLERS", 0)
    async with engines(store):
        claims.tried = 0
        for _ in range(20):
            await add(store, [ids.new_id()])
            await until(store, ALL_DONE)
        assert 20 <= claims.tried <= 24, "a heartbeat that is late makes all be notified"
        assert await value(store, "count(distinct done_by) > 1 from work")


async def test_a_lane_that_its_worker_does_not_claim_is_claimed_by_another(store: Database, claims: Claims) -> None:
    async with engines(store) as opened:
        for deaf in opened:
            hears = deaf._registration._on_hint
            deaf._registration._on_hint = lambda _: None
            await add(store, [ids.new_id() for _ in range(5 * ENGINES)])
            await until(store, ALL_DONE)
            deaf._registration._on_hint = hears


async def test_who_has_no_lane_free_tells_all(store: Database, claims: Claims, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is due at once later is announced to nobody: the first worker takes what it can, and the others the rest.

    As much is due as all can hold, and nothing ends before each of them has some: two poll, and two have to be told.
    """
    monkeypatch.setattr(runner, "IDLE_SECONDS_MAX", 1.0)
    monkeypatch.setattr(Work, "lanes", 8)
    monkeypatch.setattr(Work, "lanes_per_workspace", 8)
    owners: set[UUID] = set()
    all_have_some = asyncio.Event()
    run = Work.run

    async def together(self: Work, lease: Lease, item: UUID) -> str | None:
        owners.add(lease.owner)
        if len(owners) == ENGINES:
            all_have_some.set()
        await all_have_some.wait()
        return await run(self, lease, item)

    monkeypatch.setattr(Work, "run", together)
    async with engines(store):
        await add(store, [ids.new_id() for _ in range(8 * ENGINES)], in_seconds=1.5)
        await until(store, ALL_DONE)
        assert await value(store, "count(distinct done_by) from work") == ENGINES


async def test_a_lane_that_is_ready_again_soon_is_claimed_by_who_released_it(
    store: Database, claims: Claims, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five items are claimed at a time. Nobody else looks, who might do so between a release and the next claim."""
    monkeypatch.setattr(runner, "LOOK_SECONDS", NEVER)
    async with engines(store):
        await add(store, [ids.new_id()] * 12)
        await until(store, ALL_DONE)
        assert await value(store, "count(distinct done_by) from work") == 1
