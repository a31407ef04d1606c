"""While a thread computes, the event loop gets its turn soon; otherwise Python's own interval holds."""

import asyncio
import sys
import threading

import pytest

from signalpost.kit.tenant import Tenant, tenant
from signalpost.kit.worker_threads import SWITCH_SECONDS, in_thread

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
            assert release.wait(10)
        order.append(name)

    def call(owner: str, name: str, *, wait: bool = False) -> "asyncio.Task[None]":
        tenant.set(Tenant(owner))
        return asyncio.create_task(in_thread(compute, name, wait))

    greedy = [call("eve", "eve", wait=number == 0) for number in range(20)]
    await call("bob", "bob")
    assert order == ["bob"]
    release.set()
    await asyncio.gather(*greedy)
