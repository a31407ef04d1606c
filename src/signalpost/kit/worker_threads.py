"""A few threads for work on foreign text that would hold the event loop for longer than a few milliseconds.

Threads share the interpreter: each single call into C (a regular expression, a decoder) has to be short by itself.
"""

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

THREADS_MAX = 2
SWITCH_SECONDS = 0.001
"""How long the event loop waits for such a thread each time it wakes up. Python's own value is 5 ms, which costs less
where no thread computes."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="worker")
_usual_seconds = sys.getswitchinterval()
_running: set[object] = set()


async def in_thread(function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Call `function` in one of `THREADS_MAX` threads, when one is free."""
    call = object()
    _running.add(call)
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, lambda: function(*args, **kwargs))
    finally:
        _running.discard(call)
        if not _running:
            sys.setswitchinterval(_usual_seconds)
