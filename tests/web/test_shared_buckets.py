"""Several processes share token buckets: together they spend one bucket, and what one does not use the others get."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from itertools import cycle, islice

import pytest

from signalpost.kit import clock, problems
from signalpost.kit.db import Database
from signalpost.web import shared_buckets
from signalpost.web.shared_buckets import SharedBuckets, Want

HOUR = 3_600.0


class Counted(SharedBuckets):
    """A process that counts how often it asks the database."""

    asked = 0

    async def _ask(self, *arguments: object) -> None:
        self.asked += 1
        await super()._ask(*arguments)  # type: ignore[arg-type]


@pytest.fixture
async def store(dsn: str) -> AsyncIterator[Database]:
    opened = await Database.open(dsn)
    yield opened
    await opened.close()


@pytest.fixture
def name() -> str:
    return secrets.token_hex(8)


def processes(store: Database, count: int) -> list[Counted]:
    return [Counted(store) for _ in range(count)]


async def taken(several: list[Counted], name: str, capacity: int, times: int) -> int:
    """Return how many of these attempts, by turns at all processes at once, get a token."""
    answers = await asyncio.gather(*(each.take(name, capacity, HOUR) for each in islice(cycle(several), times)))
    return sum(allowed for allowed, _ in answers)


@pytest.mark.parametrize("count", [1, 2, 3, 10])
async def test_all_processes_together_spend_one_bucket(store: Database, name: str, count: int) -> None:
    """And all of it can be spent, by one process too, once the others have returned what they did not use."""
    several, capacity = processes(store, count), 200
    began = clock.monotonic()
    spent = await taken(several, name, capacity, 3 * capacity)
    while spent < capacity and clock.monotonic() - began < 20:
        spent += await taken(several[:1], name, capacity, capacity)
        await asyncio.sleep(0.05)
    filled = (clock.monotonic() - began) * capacity / HOUR

    assert capacity <= spent <= capacity + filled


async def test_what_one_process_does_not_use_others_get(store: Database, name: str) -> None:
    several, capacity = processes(store, 10), 100
    spent = await taken(several, name, capacity, 10)
    began = clock.monotonic()
    while spent < capacity and clock.monotonic() - began < 20:
        spent += await taken(several[3:4], name, capacity, 20)
        await asyncio.sleep(0.05)

    assert spent == capacity


async def test_a_busy_caller_costs_few_statements(store: Database, name: str) -> None:
    """Half of a plan's minute: 600 requests, of which at most three in a hundred ask."""
    (process,) = processes(store, 1)
    for _ in range(600):
        assert (await process.take(name, 1_200))[0]

    assert process.asked <= 600 * 0.03


async def test_a_refusal_is_not_asked_for_again(store: Database, name: str) -> None:
    (process,) = processes(store, 1)
    assert await taken([process], name, 1, 1) == 1
    assert await taken([process], name, 1, 1_000) == 0
    assert process.asked == 2


async def test_an_attempt_takes_nothing_of_buckets_behind_an_empty_one(store: Database, name: str) -> None:
    wants = [Want(f"{name} a", 5), Want(f"{name} b", 2), Want(f"{name} c", 3)]
    places = [await shared_buckets.take_each(store, wants, HOUR) for _ in range(4)]

    assert [refused and refused[0] for refused in places] == [None, None, 1, 1]
    assert await shared_buckets.take_each(store, wants[2:], HOUR) is None
    assert await shared_buckets.take_each(store, wants[2:], HOUR) is not None
    await shared_buckets.give_back(store, wants[2:], HOUR)
    assert await shared_buckets.take_each(store, wants[2:], HOUR) is None
    await shared_buckets.forget(store, [f"{name} b"])
    assert await shared_buckets.take_each(store, wants[1:2], HOUR) is None


async def test_a_step_of_the_clock_empties_no_bucket_for_longer_than_its_window(store: Database, name: str) -> None:
    (process,) = processes(store, 1)
    await process.take(name, 10, 1.0)
    async with store.connection() as db:
        later = "update request_bucket set full_at = now() + interval '1 day' where name = $1"
        assert await db.execute(later, shared_buckets._digest(name)) == "UPDATE 1"
    other = SharedBuckets(store)
    allowed, left = await other.take(name, 10, 1.0)

    assert not allowed
    assert left.seconds_to_full <= 2
    began = clock.monotonic()
    while not (await other.take(name, 10, 1.0))[0]:
        assert clock.monotonic() - began < 20
        await asyncio.sleep(0.02)


async def test_buckets_that_are_full_leave_no_row(store: Database, name: str) -> None:
    await shared_buckets.take_each(store, [Want(f"{name} long", 1)], HOUR)
    await shared_buckets.take_each(store, [Want(f"{name} short", 1)], 0.001)
    own = [shared_buckets._digest(f"{name} {which}") for which in ("long", "short")]  # others fill up meanwhile
    async with store.connection() as db:
        await db.execute("update request_bucket set full_at = full_at - interval '2 s' where name = any($1)", own)
        while await shared_buckets.purge(db):
            pass
        left = await db.fetch("select name from request_bucket where name = any($1)", own)

    assert [row["name"] for row in left] == own[:1]
    assert await shared_buckets.take_each(store, [Want(f"{name} long", 1)], HOUR) is not None


async def test_without_the_database_nothing_is_let_through(dsn: str, name: str) -> None:
    opened = await Database.open(dsn)
    await opened.close()

    with pytest.raises(problems.Unavailable):
        await SharedBuckets(opened).take(name, 10)
