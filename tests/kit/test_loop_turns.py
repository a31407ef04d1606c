"""Long steps of one tenant alternate with the steps of others, however many of them are ready.

Steps are measured by the processor time of this thread: what the machine does beside it makes no step a long one.
"""

import asyncio
import gc
import time
from collections.abc import Iterator

import pytest

from signalpost.kit import loop_watch
from signalpost.kit.loop_watch import LONG_SECONDS, Watched
from signalpost.kit.tenant import Tenant, tenant


@pytest.fixture(autouse=True)
def own_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    gc.disable()
    monkeypatch.setattr(loop_watch, "perf_counter", time.thread_time)
    yield
    gc.enable()


async def steps(name: str, order: list[str], count: int, seconds: float) -> None:
    for _ in range(count):
        await asyncio.sleep(0)
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass
        order.append(name)


def start(name: str, order: list[str], count: int = 10, seconds: float = 2 * LONG_SECONDS) -> "asyncio.Task[None]":
    tenant.set(Tenant(name))

    async def run() -> None:
        await Watched(steps(name, order, count, seconds), name)

    return asyncio.create_task(run())


async def test_others_wait_for_one_long_step_at_a_time() -> None:
    """Thirty pieces of work of one tenant with ten long steps each, and one of another."""
    order: list[str] = []
    greedy = [start("eve", order) for _ in range(30)]
    await start("bob", order, seconds=0)
    before = order.count("eve")
    await asyncio.gather(*greedy)

    assert before <= 3 * 10, "about one for each step of the other; without turns thirty for each"
    assert order.count("eve") == 300


async def test_short_steps_take_no_turns() -> None:
    order: list[str] = []
    many = [start("eve", order, seconds=0) for _ in range(30)]
    await start("bob", order, seconds=0)

    assert order.count("eve") >= 30 * 9
    await asyncio.gather(*many)


async def test_work_that_waits_for_its_turn_can_be_cancelled() -> None:
    order: list[str] = []
    works = [start("eve", order) for _ in range(10)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for work in works[::2]:
        work.cancel()
    results = await asyncio.gather(*works, return_exceptions=True)

    assert [isinstance(result, asyncio.CancelledError) for result in results] == [True, False] * 5
    assert order.count("eve") >= 50
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await start("eve", order, count=1_000)
