"""One worker is notified of a lane, and another looks whether it was claimed. Nobody polls here: nothing else helps."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from tests.helpers.engine import ALL_DONE, Work, add, running, until, value

from signalpost.engine import lanes, runner
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
        opened.sort(key=lambda engine: engine._registration.place)
        assert [engine._registration.place for engine in opened] == [*range(ENGINES)]
        yield opened


async def test_a_lane_that_is_woken_is_claimed_once(
    store: Database, claims: Claims, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LOOK_SECONDS", NEVER)
    async with engines(store):
        claims.tried = 0
        for _ in range(20):
            await add(store, [ids.new_id()])
            await until(store, ALL_DONE)
        assert 20 <= claims.tried <= 24, (
            "who looks after the release of its own lane may find another that was just woken"
        )
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
    """What is due at once later is announced to nobody: the first worker takes what it can, and the others the rest."""
    monkeypatch.setattr(runner, "IDLE_SECONDS_MAX", 1.0)
    monkeypatch.setattr(Work, "lanes", 8)
    monkeypatch.setattr(Work, "lanes_per_workspace", 8)
    async with engines(store) as opened:
        for engine in opened:
            for one in engine._runners.values():
                one.source.seconds = 0.3
        await add(store, [ids.new_id() for _ in range(24)], in_seconds=1.5)
        await until(store, ALL_DONE)
        assert await value(store, "count(distinct done_by) from work") == ENGINES


async def test_a_lane_that_is_ready_again_soon_is_claimed_by_who_released_it(store: Database, claims: Claims) -> None:
    """Five items are claimed at a time."""
    async with engines(store):
        await add(store, [ids.new_id()] * 12)
        await until(store, ALL_DONE)
        assert await value(store, "count(distinct done_by) from work") == 1
