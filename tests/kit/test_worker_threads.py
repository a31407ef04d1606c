"""Threads for foreign text: turns of the event loop, shares of tenants, and the end of what takes too long."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from functools import partial
from itertools import count

import pytest
from prometheus_client import REGISTRY

from signalpost.kit.patience import Patience, patience
from signalpost.kit.problems import Unavailable
from signalpost.kit.shares import Busy
from signalpost.kit.tenant import Tenant, tenant
from signalpost.kit.worker_threads import SWITCH_SECONDS, THREADS_MAX, OutOfTime, Pool, in_thread

USUAL = sys.getswitchinterval()


def fail() -> None:
    raise LookupError


async def test_the_interpreter_switches_sooner_while_a_thread_computes() -> None:
    intervals = await asyncio.gather(*(in_thread(sys.getswitchinterval) for _ in range(5)))
    with pytest.raises(LookupError):
        await in_thread(fail)

    assert intervals == [pytest.approx(SWITCH_SECONDS)] * 5
    assert sys.getswitchinterval() == USUAL


async def test_a_tenant_has_one_thread_at_a_time_and_others_pass_by() -> None:
    order: list[str] = []
    release = threading.Event()

    def compute(name: str, wait: bool = False) -> None:
        if wait:
            assert release.wait(300)
        order.append(name)

    def call(owner: str, name: str, *, wait: bool = False) -> "asyncio.Task[None]":
        tenant.set(Tenant(owner))
        return asyncio.create_task(in_thread(compute, name, wait))

    greedy = [call("eve", "eve", wait=number == 0) for number in range(20)]
    await call("bob", "bob")
    assert order == ["bob"]
    release.set()
    await asyncio.gather(*greedy)


def compute_for_ever() -> None:
    for _ in count():
        pass


def swallow_for_ever() -> None:
    """Work whose `except Exception` must not keep it alive."""
    while True:
        try:
            compute_for_ever()
        except Exception:  # noqa: BLE001, S112 - see above
            continue


@pytest.fixture
def hang() -> Iterator[threading.Event]:
    """What work waits for that is to hold its thread until the end of the test."""
    release = threading.Event()
    yield release
    release.set()


async def hold(pool: Pool, release: threading.Event) -> "list[asyncio.Task[bool]]":
    """Hold all threads of a pool, each for a tenant of its own."""
    loop, holders = asyncio.get_running_loop(), []

    def wait(started: asyncio.Event) -> bool:
        loop.call_soon_threadsafe(started.set)
        return release.wait(300)

    for number in range(THREADS_MAX):
        started = asyncio.Event()
        tenant.set(Tenant(f"holder {number}"))
        holders.append(asyncio.create_task(pool.call(partial(wait, started))))
        await started.wait()
    tenant.set(None)
    return holders


@pytest.mark.parametrize("function", [compute_for_ever, swallow_for_ever])
async def test_work_that_takes_too_much_of_a_processor_is_ended_and_its_thread_is_free_again(function: object) -> None:
    pool = Pool("test-end", wait_seconds=None, cpu_seconds=0.02)
    for _ in range(THREADS_MAX + 1):
        with pytest.raises(OutOfTime):
            await pool.call(function)  # type: ignore[arg-type]

    assert await asyncio.gather(*(pool.call(threading.get_ident) for _ in range(THREADS_MAX)))
    assert REGISTRY.get_sample_value("signalpost_worker_threads_ended_total", {"pool": "test-end"}) >= THREADS_MAX + 1


async def test_an_end_that_comes_as_the_work_is_done_hits_nothing_else() -> None:
    """Each piece of work ends by itself at about the moment at which it would be ended."""
    pool = Pool("test-race", wait_seconds=None, cpu_seconds=0.001)

    def compute(steps: int) -> int:
        return sum(range(steps))

    results = [await asyncio.gather(pool.call(lambda: compute(50_000)), return_exceptions=True) for _ in range(300)]

    assert {type(result) for (result,) in results} <= {int, OutOfTime}
    assert await asyncio.gather(*(pool.call(threading.get_ident) for _ in range(THREADS_MAX)))


async def test_work_ends_with_the_request_that_asked_for_it() -> None:
    pool = Pool("test-cancel", wait_seconds=None, cpu_seconds=60)
    loop, started = asyncio.get_running_loop(), asyncio.Event()

    def work() -> None:
        loop.call_soon_threadsafe(started.set)
        compute_for_ever()

    task = asyncio.create_task(pool.call(work))
    await started.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert await pool.call(threading.get_ident)


async def test_a_call_waits_for_a_thread_as_long_as_it_may(hang: threading.Event) -> None:
    pool = Pool("test-wait", wait_seconds=0.01, cpu_seconds=60)
    holders = await hold(pool, hang)

    with pytest.raises(Busy):
        await pool.call(threading.get_ident)
    tenant.set(Tenant("holder 0"))  # whose one thread is in use
    with pytest.raises(Busy):
        await pool.call(threading.get_ident)

    labels = {"pool": "test-wait"}
    assert REGISTRY.get_sample_value("signalpost_worker_threads_refused_total", labels) == 2
    assert REGISTRY.get_sample_value("signalpost_worker_threads_wait_seconds", labels) >= 0.01
    hang.set()
    assert await asyncio.gather(*holders) == [True] * THREADS_MAX


async def test_requests_never_keep_the_engine_waiting(hang: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    from signalpost.kit import worker_threads

    monkeypatch.setattr(worker_threads._requests, "_wait_seconds", 0.01)
    holders = await hold(worker_threads._requests, hang)

    assert await in_thread(threading.get_ident)
    patience.set(Patience())
    with pytest.raises(Unavailable) as refused:
        await in_thread(threading.get_ident)
    assert refused.value.headers["Retry-After"]
    hang.set()
    await asyncio.gather(*holders)


async def test_a_request_whose_work_was_ended_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from signalpost.kit import worker_threads

    monkeypatch.setattr(worker_threads._requests, "_cpu_seconds", 0.01)
    patience.set(Patience())

    with pytest.raises(Unavailable, match="too much computing"):
        await in_thread(compute_for_ever)
