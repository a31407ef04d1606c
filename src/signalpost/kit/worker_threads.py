"""A few threads for work on foreign text that would hold the event loop for longer than a few milliseconds.

Two pools, so that what users ask for never keeps publishing waiting: requests use one, the engine the other. Work is
ended by force once it has used its share of a processor: an exception is raised inside it. That happens between two
steps of the interpreter, so each single call into C (a regular expression, a decoder) has to be short by itself.

| Metric | Labels | Meaning |
|---|---|---|
| `signalpost_worker_threads_wait_seconds` | pool | the longest wait for a thread within the last minute |
| `signalpost_worker_threads_refused_total` | pool | work that waited in vain |
| `signalpost_worker_threads_ended_total` | pool | work that was ended because it took too much of a processor |
"""

import asyncio
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from typing import Final, Generic, ParamSpec, TypeVar

from prometheus_client import Counter, Gauge

from signalpost.kit import log
from signalpost.kit.patience import patience
from signalpost.kit.problems import Unavailable
from signalpost.kit.shares import Busy, Shares
from signalpost.kit.tenant import tenant

THREADS_MAX: Final = 2
"""Of each pool."""
SWITCH_SECONDS: Final = 0.001
"""How long the event loop waits for such a thread each time it wakes up. Python's own value is 5 ms, which costs less
where no thread computes."""
WAIT_SECONDS: Final = 2.0
"""How long a request waits for a thread."""
CPU_SECONDS: Final = 5.0
"""Of a processor, for one piece of work of a request: the longest text for all networks takes three."""
ENGINE_CPU_SECONDS: Final = 20.0
WINDOW_SECONDS: Final = 60.0
_RETRY: Final = {"Retry-After": "2"}

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

WAIT = Gauge(
    "signalpost_worker_threads_wait_seconds", "The longest wait for a worker thread within the last minute", ("pool",)
)
REFUSED = Counter("signalpost_worker_threads_refused_total", "Work that waited in vain for a thread", ("pool",))
ENDED = Counter(
    "signalpost_worker_threads_ended_total", "Work that was ended since it took too much of a processor", ("pool",)
)
_logger = log.get("worker_threads")
_usual_seconds = sys.getswitchinterval()
_running: set[object] = set()


class OutOfTime(Exception):
    """The work took more of a processor than it may, and was ended."""


class _Ended(BaseException):
    """Raised inside of work that shall end; no `except Exception` stops it."""


class _Work(Generic[Result]):
    """A call in a thread, which the event loop may end.

    There is one ticket. Either the thread takes it when the call is done, or the loop to end the call. In that case the
    thread waits for the exception, so that it never hits what the thread does next.
    """

    def __init__(self, function: Callable[[], Result]) -> None:
        self._function = function
        self._ticket: list[None] = [None]  # taking an item is atomic
        self._is_raised = self._is_unwanted = False
        self._thread = 0
        self._clock = 0
        self._began = 0.0

    def run(self) -> Result:
        """Call the function, in the thread.

        Raises:
            OutOfTime: it was ended.
        """
        try:
            try:
                self._clock = time.pthread_getcpuclockid(threading.get_ident())
                self._began = time.clock_gettime(self._clock)
                self._thread = threading.get_ident()
                if self._is_unwanted:
                    raise OutOfTime
                return self._function()
            finally:
                self._settle()
        except _Ended:
            raise OutOfTime from None

    def _settle(self) -> None:
        try:
            self._ticket.pop()
        except IndexError:
            while not self._is_raised:
                os.sched_yield()
            for _ in range(3):  # the interpreter raises it here, at the latest
                os.sched_yield()

    def cpu_seconds(self) -> float:
        """Return how much of a processor it has used; to be asked while it is under way."""
        return time.clock_gettime(self._clock) - self._began if self._thread else 0.0

    def end(self) -> bool:
        """End the call; return whether it was under way."""
        self._is_unwanted = True
        if not self._thread:
            return False
        try:
            self._ticket.pop()
        except IndexError:
            return False
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(_Ended))
        self._is_raised = True
        return True


class _Waits:
    """The longest wait of the last one to two windows, those included that have not ended."""

    def __init__(self) -> None:
        self._under_way: dict[object, float] = {}
        self._longest = [0.0, 0.0]  # of this window, of the one before
        self._window = 0

    @contextmanager
    def measure(self) -> Iterator[None]:
        key, began = object(), time.monotonic()
        self._under_way[key] = began
        try:
            yield
        finally:
            del self._under_way[key]
            self._turn()
            self._longest[0] = max(self._longest[0], time.monotonic() - began)

    def longest(self) -> float:
        """Return it in seconds."""
        self._turn()
        began = min(self._under_way.values(), default=None)
        return max(*self._longest, 0.0 if began is None else time.monotonic() - began)

    def _turn(self) -> None:
        window = int(time.monotonic() // WINDOW_SECONDS)
        if window != self._window:
            self._longest = [0.0, self._longest[0] if window == self._window + 1 else 0.0]
            self._window = window


class Pool:
    """Some threads, in which a tenant has one at a time; others pass by.

    Args:
        wait_seconds: how long a call waits for a thread; None: until one is free.
        cpu_seconds: of a processor, after which a call is ended.
    """

    def __init__(self, name: str, *, wait_seconds: float | None, cpu_seconds: float) -> None:
        self._name = name
        self._wait_seconds, self._cpu_seconds = wait_seconds, cpu_seconds
        self._threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix=name)
        self._places, self._shares = Shares(THREADS_MAX), Shares(1)
        self._waits = _Waits()
        WAIT.labels(name).set_function(self._waits.longest)
        self._refused, self._ended = REFUSED.labels(name), ENDED.labels(name)

    async def call(self, function: Callable[[], Result]) -> Result:
        """Call `function` in a thread.

        Raises:
            Busy: none became free in time.
            OutOfTime: it was ended.
        """
        current = tenant.get()
        async with AsyncExitStack() as places:
            with self._waits.measure():
                try:
                    async with asyncio.timeout(self._wait_seconds):
                        await places.enter_async_context(self._shares.take(current and current.id))
                        await places.enter_async_context(self._places.take(None))
                except TimeoutError:
                    self._refused.inc()
                    raise Busy from None
            return await self._run(_Work(function))

    async def _run(self, work: _Work[Result]) -> Result:
        loop = asyncio.get_running_loop()
        _running.add(work)
        sys.setswitchinterval(SWITCH_SECONDS)
        result = asyncio.wrap_future(self._threads.submit(work.run))
        watch = loop.create_task(self._watch(work))
        try:
            return await asyncio.shield(result)
        except asyncio.CancelledError:
            work.end()
            raise
        finally:
            while not result.done():  # the place is free when the thread is
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([result])
            result.exception()  # is known, also where nobody waits for it any more
            watch.cancel()
            _running.discard(work)
            if not _running:
                sys.setswitchinterval(_usual_seconds)

    async def _watch(self, work: _Work[Result]) -> None:
        """End the work when it has used what it may of a processor; it cannot use more than the time that passes."""
        left = self._cpu_seconds
        while left > 0:
            await asyncio.sleep(max(left, SWITCH_SECONDS))
            left = self._cpu_seconds - work.cpu_seconds()
        if work.end():
            self._ended.inc()
            _logger.warning("worker_threads.ended", pool=self._name, seconds=self._cpu_seconds)


_requests = Pool("requests", wait_seconds=WAIT_SECONDS, cpu_seconds=CPU_SECONDS)
_engine = Pool("engine", wait_seconds=None, cpu_seconds=ENGINE_CPU_SECONDS)


async def in_thread(function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Call `function` in a thread of the pool for requests, or outside of requests in that of the engine.

    Raises:
        Unavailable: in a request: no thread became free in time, or the work took too much of a processor.
        OutOfTime: in the engine: likewise.
    """
    work = partial(function, *args, **kwargs)
    if patience.get() is None:
        return await _engine.call(work)
    try:
        return await _requests.call(work)
    except Busy:
        detail = "Other large requests are being worked on. Nothing was done."
        raise Unavailable(detail, headers=_RETRY) from None
    except OutOfTime:
        detail = "This took too much computing, and was ended. Send less text at once."
        raise Unavailable(detail, headers=_RETRY) from None
