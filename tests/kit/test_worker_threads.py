"""While a thread computes, the event loop gets its turn soon; otherwise Python's own interval holds."""

import asyncio
import sys

import pytest

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
