"""Responses that all clients share: one is made at a time, and none is older than the operation says."""

import asyncio

import pytest

from signalpost.kit import clock, problems
from signalpost.web.cache import ResponseCache
from signalpost.web.caller import SIGNED_IN
from signalpost.web.response import Response
from signalpost.web.routing import Routes


class Kitchen:
    """Makes responses slowly, and counts them."""

    def __init__(self) -> None:
        self.made = 0

    async def make(self) -> Response:
        self.made += 1
        number = self.made
        await asyncio.sleep(0.01)
        return Response(200, b"%d" % number, [])

    async def fail(self) -> Response:
        self.made += 1
        await asyncio.sleep(0.01)
        raise problems.Unavailable


async def get(cache: ResponseCache, kitchen: Kitchen) -> Response:
    return cache.fresh("a", 1) or await cache.make("a", kitchen.make)


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()


async def test_many_at_once_share_one_response(kitchen: Kitchen) -> None:
    cache = ResponseCache()
    responses = await asyncio.gather(*(get(cache, kitchen) for _ in range(20)))
    later = await get(cache, kitchen)

    assert kitchen.made == 1
    assert {response.body for response in [*responses, later]} == {b"1"}


async def test_a_response_is_not_older_than_it_may_be(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ResponseCache()
    await get(cache, kitchen)
    now = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: now + 1)

    assert (await get(cache, kitchen)).body == b"2"


async def test_a_failure_is_shared_too(kitchen: Kitchen) -> None:
    """A database that is away must not be asked more often than one that answers."""
    cache = ResponseCache()
    with pytest.raises(problems.Unavailable):
        await cache.make("a", kitchen.fail)
    for _ in range(3):
        with pytest.raises(problems.Unavailable):
            cache.fresh("a", 1)

    assert kitchen.made == 1


async def test_whoever_leaves_does_not_take_the_response_along(kitchen: Kitchen) -> None:
    cache = ResponseCache()
    first = asyncio.create_task(get(cache, kitchen))
    await asyncio.sleep(0)
    second = asyncio.create_task(get(cache, kitchen))
    await asyncio.sleep(0)
    first.cancel()

    assert (await second).body == b"1"


def test_only_a_public_read_without_inputs_can_be_cached() -> None:
    """Anything else would hand the response of one caller to another."""
    routes = Routes("Things")

    async def read_me() -> None:
        """Answer who asks."""

    with pytest.raises(TypeError, match="cached"):
        routes.get("/me", scope=SIGNED_IN, cached_seconds=1)(read_me)
