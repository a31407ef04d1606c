"""Guesses at credentials: each is counted before the next one is read, and nobody with a good one is refused."""

import asyncio
import dataclasses

import pytest

from signalpost.kit import clock, problems
from signalpost.web.guesses import Guesses
from signalpost.web.limits import PER_ADDRESS, Limiter
from signalpost.web.request import address_bucket

ADDRESS = "203.0.113.5"
NAME = f"address:{ADDRESS}"


@dataclasses.dataclass
class Reader:
    """Reads credentials like the service, and counts how many, and how many at a time."""

    guesses: Guesses
    limiter: Limiter
    read: int = 0
    reading: int = 0
    most: int = 0

    async def __call__(self, *, good: bool) -> str:
        try:
            async with self.guesses.admitted(ADDRESS):
                self.read += 1
                self.reading += 1
                self.most = max(self.most, self.reading)
                await asyncio.sleep(0.001)
                self.reading -= 1
                if not good:
                    raise problems.Unauthenticated
        except problems.Problem as problem:
            try:
                await self.limiter.admit(NAME, "address", PER_ADDRESS)
            except problems.RateLimited:
                return "429"
            return str(problem.status)
        return "200"


@pytest.fixture
def reader() -> Reader:
    limiter = Limiter()
    return Reader(Guesses(limiter), limiter)


async def test_a_flood_of_wrong_ones_is_read_thirty_times(reader: Reader) -> None:
    answers = await asyncio.gather(*(reader(good=False) for _ in range(500)))

    assert reader.read == PER_ADDRESS
    assert (answers.count("401"), answers.count("429")) == (PER_ADDRESS, 500 - PER_ADDRESS)


async def test_good_ones_wait_for_each_other_and_none_is_refused(reader: Reader) -> None:
    """After a restart nothing is known, and behind one proxy a thousand clients come at once."""
    answers = await asyncio.gather(*(reader(good=True) for _ in range(1_000)))

    assert set(answers) == {"200"}
    assert reader.most == PER_ADDRESS
    assert (await reader.limiter.admit(NAME, "address", PER_ADDRESS))[3] == (b"x-ratelimit-remaining", b"29")


async def test_whoever_stops_waiting_blocks_nobody(reader: Reader) -> None:
    tasks = [asyncio.create_task(reader(good=True)) for _ in range(200)]
    await asyncio.sleep(0)
    for task in tasks[PER_ADDRESS::2]:
        task.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)

    assert answers.count("200") == PER_ADDRESS + (200 - PER_ADDRESS) // 2
    assert reader.guesses._lines == {}


async def test_tokens_come_back_with_time(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    await asyncio.gather(*(reader(good=False) for _ in range(PER_ADDRESS)))
    assert await reader(good=True) == "429"
    now = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: now + 3)

    assert await reader(good=True) == "200"


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("unknown", "unknown"),
    ],
)
def test_the_address_by_which_a_client_is_counted(address: str, counted_as: str) -> None:
    """A socket for both versions of IP names clients with IPv4 in its own way: they must not share one count."""
    assert address_bucket(address) == counted_as
