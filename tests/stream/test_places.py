"""Streams of an owner are counted in all processes together; the places of a process that is gone come free."""

import asyncio
from collections.abc import AsyncIterator
from itertools import cycle, islice
from uuid import UUID

import pytest

from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.problems import RateLimited
from signalpost.stream import hub, places
from signalpost.stream.hub import Hub, Listener

HOLD_SECONDS = 4.0


@pytest.fixture
async def store(dsn: str) -> AsyncIterator[Database]:
    opened = await Database.open(dsn)
    yield opened
    await opened.close()


@pytest.fixture
async def processes(store: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Hub]]:
    """Ten of them, with short times. No request gives up, however busy this machine is."""
    monkeypatch.setattr(places, "HOLD_SECONDS", HOLD_SECONDS)
    monkeypatch.setattr(places, "RENEW_SECONDS", 0.2)
    monkeypatch.setattr(places, "ASK_SECONDS", 60.0)
    monkeypatch.setattr(hub, "POLL_SECONDS", 0.05)
    hubs = [Hub() for _ in range(10)]
    yield hubs
    for process in hubs:
        await process.end()


async def opened(store: Database, process: Hub, owner_id: UUID) -> Listener | None:
    """Open a stream; None: there was no place."""
    try:
        listener = await process.join(store, owner_id, owner_id)
    except RateLimited:
        return None
    listener.begins_until = None
    return listener


async def filled(store: Database, several: list[Hub], owner_id: UUID, times: int) -> list[Listener]:
    """Return what came of so many attempts, by turns at all processes at once."""
    turns = islice(cycle(several), times)
    attempts = await asyncio.gather(*(opened(store, process, owner_id) for process in turns))
    return [listener for listener in attempts if listener is not None]


async def until_filled(store: Database, process: Hub, owner_id: UUID, count: int) -> list[Listener]:
    """Return that many streams of this process, as places come free."""
    streams: list[Listener] = []
    async with asyncio.timeout(60):
        while len(streams) < count:
            streams += await filled(store, [process], owner_id, count - len(streams))
            await asyncio.sleep(0.05)
    return streams


async def stop_reading(process: Hub) -> None:
    """What a process does that was killed, or that froze: nothing."""
    assert process._task is not None
    process._task.cancel()
    await asyncio.wait([process._task])


@pytest.mark.parametrize("count", [1, 2, 10])
async def test_all_processes_together_have_as_many_streams_as_one(
    store: Database, processes: list[Hub], count: int
) -> None:
    owner_id, other_id = ids.new_id(), ids.new_id()
    several = processes[:count]
    assert len(await filled(store, several, owner_id, 3 * places.TENANT_MAX)) == places.TENANT_MAX
    assert len(await filled(store, several, other_id, count)) == count


async def test_places_that_come_free_are_free_for_every_process(store: Database, processes: list[Hub]) -> None:
    owner_id, (one, two) = ids.new_id(), processes[:2]
    for listener in await filled(store, [one], owner_id, places.TENANT_MAX):
        one.leave(listener)
    await until_filled(store, two, owner_id, places.TENANT_MAX)
    await filled(store, [two], ids.new_id(), 3)
    await two.end()
    assert len(await filled(store, [one], owner_id, places.TENANT_MAX)) == places.TENANT_MAX, "at once"


async def test_places_of_a_process_that_died_come_free(store: Database, processes: list[Hub]) -> None:
    owner_id, (dead, other) = ids.new_id(), processes[:2]
    assert len(await filled(store, [dead], owner_id, places.TENANT_MAX)) == places.TENANT_MAX
    await stop_reading(dead)
    assert await opened(store, other, owner_id) is None
    began = clock.monotonic()
    await until_filled(store, other, owner_id, places.TENANT_MAX)
    assert clock.monotonic() - began < HOLD_SECONDS + 10


async def test_a_process_that_wakes_has_what_others_left(
    store: Database, processes: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were open longest stay, and of owners whom nobody else served all."""
    monkeypatch.setattr(places, "TENANT_MAX", 5)
    owner_id, quiet_id, (frozen, other) = ids.new_id(), ids.new_id(), processes[:2]
    streams = await filled(store, [frozen], owner_id, 5)
    quiet = await filled(store, [frozen], quiet_id, 5)
    await stop_reading(frozen)
    await until_filled(store, other, owner_id, 3)
    frozen._task = asyncio.create_task(frozen._run(store))
    async with asyncio.timeout(60):
        while sum(not listener.ended for listener in streams) > 2:
            await asyncio.sleep(0.05)
    assert [listener.ended for listener in streams] == [False, False, True, True, True]
    assert not any(listener.ended for listener in quiet)
    assert await opened(store, other, owner_id) is None
    assert await opened(store, other, quiet_id) is None


async def test_a_process_that_froze_in_a_transaction_holds_nobody_up(
    store: Database, processes: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had just stated something, and has the rows of that locked."""
    monkeypatch.setattr(places, "HOLD_SECONDS", 600.0)
    owner_id, (frozen, other) = ids.new_id(), processes[:2]
    await filled(store, [frozen], owner_id, 1)
    await stop_reading(frozen)
    async with store.transaction() as db:
        await db.execute("select from stream_process where id = $1 for update", frozen._places._process_id)
        async with asyncio.timeout(10):
            assert len(await filled(store, [other], owner_id, places.TENANT_MAX)) == places.TENANT_MAX - 1


class Counted(places.Places):
    """Counts what it states beside what is read anyway."""

    taken = 0

    async def take(self, *arguments: object) -> object:  # type: ignore[override]
        self.taken += 1
        return await super().take(*arguments)  # type: ignore[arg-type]


async def test_a_stream_costs_one_statement_when_it_opens(store: Database, processes: list[Hub]) -> None:
    """While it is open, it is stated with what is read for it."""
    owner_id, process = ids.new_id(), processes[0]
    process._places = counted = Counted()
    stream = await opened(store, process, owner_id)
    assert stream is not None
    held_until = "select held_until from stream_process where id = $1"
    first = await store.pool.fetchval(held_until, counted._process_id)
    async with asyncio.timeout(60):
        while await store.pool.fetchval(held_until, counted._process_id) == first:
            await asyncio.sleep(0.05)
    assert counted.taken == 1
    process.leave(stream)
    async with asyncio.timeout(60):
        while not counted.is_empty:
            await asyncio.sleep(0.05)
    assert await store.pool.fetchval("select count(*) from stream_place where owner_id = $1", owner_id) == 0
    assert counted.taken == 1


async def test_a_response_that_is_never_sent_keeps_no_place(
    store: Database, processes: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that to HEAD, which has no body."""
    monkeypatch.setattr(hub, "BEGIN_SECONDS", 0.0)
    owner_id, process = ids.new_id(), processes[0]
    listener = await process.join(store, owner_id, owner_id)
    async with asyncio.timeout(60):
        while not listener.ended:
            await asyncio.sleep(0.05)
    assert process._count == 0
