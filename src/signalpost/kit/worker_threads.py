"""A few threads for work on foreign text that would hold the event loop for longer than a few milliseconds.

Threads share the interpreter: each single call into C (a regular expression, a decoder) has to be short by itself.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

THREADS_MAX = 2

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="worker")


async def in_thread(function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Call `function` in one of `THREADS_MAX` threads, when one is free."""
    return await asyncio.get_running_loop().run_in_executor(_threads, lambda: function(*args, **kwargs))
