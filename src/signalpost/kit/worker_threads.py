"""A few threads for work on foreign text that would hold the event loop for longer than a few milliseconds.

Threads share the interpreter: each single call into C (a regular expression, a decoder) has to be short by itself.
"""

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from signalpost.kit.shares import Shares
from signalpost.kit.tenant import tenant

THREADS_MAX = 2
SWITCH_SECONDS = 0.001
"""How long the event loop waits for such a thread each time it wakes up. Python's own value is 5 ms, which costs less
where no thread computes."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="worker")
_usual_seconds = sys.getswitchinterval()
_running: set[object] = set()
_shares = Shares(1)


async def in_thread(function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Call `function` in one of `THREADS_MAX` threads, when one is free. A tenant has one at a time; others pass by."""
    current = tenant.get()
    async with _shares.take(current and current.id):
        return await _call(partial(function, *args, **kwargs))


async def _call(function: Callable[[], Result]) -> Result:
    call = object()
    _running.add(call)
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, function)
    finally:
        _running.discard(call)
        if not _running:
            sys.setswitchinterval(_usual_seconds)
