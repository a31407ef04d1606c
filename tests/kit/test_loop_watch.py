"""Steps that hold the event loop are counted and named; what they await is none of theirs.

Steps are measured by the processor time of this thread: what the machine does beside it holds no loop.
"""

import asyncio
import gc
import json
import time
from collections.abc import Iterator

import pytest
from prometheus_client import REGISTRY

from signalpost.kit import loop_watch
from signalpost.kit.loop_watch import HELD_SECONDS, Watched


@pytest.fixture(autouse=True)
def own_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    gc.disable()
    monkeypatch.setattr(loop_watch, "perf_counter", time.thread_time)
    yield
    gc.enable()


def count(name: str) -> float:
    return REGISTRY.get_sample_value("signalpost_event_loop_held_total", {"work": name}) or 0.0


async def work(*, blocks: float = 0.0, waits: float = 0.0, fails: bool = False) -> str:
    await asyncio.sleep(waits)
    until = time.thread_time() + blocks
    while time.thread_time() < until:
        pass
    if fails:
        raise LookupError
    return "done"


async def test_a_step_that_holds_the_loop_is_counted_and_logged(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert await Watched(work(blocks=HELD_SECONDS * 2), "GET /slow") == "done"

    assert count("GET /slow") == 1
    lines = [json.loads(line) for line in capfdbinary.readouterr().err.splitlines() if b"loop.held" in line]
    assert [line["work"] for line in lines] == ["GET /slow"]
    assert lines[0]["ms"] >= HELD_SECONDS * 2_000


async def test_waiting_is_no_holding() -> None:
    await Watched(work(waits=HELD_SECONDS * 2), "GET /waits")

    assert count("GET /waits") == 0


async def test_there_is_one_line_a_second_for_each_piece_of_work(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for _ in range(3):
        loop_watch.held("GET /again", 0.1)

    assert count("GET /again") == 3
    assert capfdbinary.readouterr().err.count(b"GET /again") == 1


async def test_exceptions_and_cancellations_pass_through() -> None:
    with pytest.raises(LookupError):
        await Watched(work(fails=True), "GET /fails")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await Watched(work(waits=10), "GET /long")
    task = asyncio.create_task(work(waits=10))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await Watched(task, "GET /task")


async def test_lateness_of_timers_is_observed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_watch, "BEAT_SECONDS", 0.01)
    name = "signalpost_event_loop_lag_seconds_count"
    before = REGISTRY.get_sample_value(name) or 0.0
    task = asyncio.create_task(loop_watch.measure_lag())
    await asyncio.sleep(0.1)
    task.cancel()

    assert (REGISTRY.get_sample_value(name) or 0.0) > before
