"""Who holds the event loop: each step of a piece of work, from one `await` to the next, should be short.

| Metric | Labels | Meaning |
|---|---|---|
| `signalpost_event_loop_lag_seconds` | | histogram: how late a timer of the event loop was |
| `signalpost_event_loop_held_total` | work | steps of more than 20 ms, by operation or source |
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Generator, Hashable
from time import monotonic, perf_counter
from typing import Any, Generic, TypeVar

from prometheus_client import Counter, Histogram

from signalpost.kit import log
from signalpost.kit.tenant import tenant

HELD_SECONDS = 0.02
"""How long a step may take; longer ones are counted and logged."""
LONG_SECONDS = 0.002
"""Shorter steps need no turns."""
LOGGED_SECONDS = 1.0
"""At most one line for each piece of work in this time."""
BEAT_SECONDS = 0.25

T = TypeVar("T")

LAG = Histogram(
    "signalpost_event_loop_lag_seconds",
    "How late a timer of the event loop was",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
)
HELD = Counter("signalpost_event_loop_held_total", "Steps that held the event loop for more than 20 ms", ("work",))
_logged: dict[str, float] = {}  # operations and sources: as many as there are in the program
_logger = log.get("loop")
_waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
"""Of each tenant that had a long step: whatever else of it became ready since, in order. One of them gets its turn in
each round of the loop, so that fifty requests with long steps do not hold up everybody else (decision 0136)."""


class Watched(Generic[T]):
    """Awaits `work` and measures each of its steps; long ones take turns.

    `name` is the operation or the source, without ids.
    """

    __slots__ = ("_name", "_work")

    def __init__(self, work: Awaitable[T], name: str) -> None:
        self._work = work
        self._name = name

    def __await__(self) -> Generator[Any, Any, T]:
        steps = self._work.__await__()
        step, value = steps.send, None
        while True:
            started = perf_counter()
            try:
                waits_for = step(value)
            except StopIteration as end:
                result: T = end.value
                return result
            finally:
                if (seconds := perf_counter() - started) > LONG_SECONDS:
                    took_long()
                    if seconds > HELD_SECONDS:
                        held(self._name, seconds)
            try:
                value = yield waits_for
                step = steps.send
                yield from turn()
            except GeneratorExit:
                steps.close()
                raise
            except BaseException as error:  # noqa: BLE001 - a cancellation, passed on to the work
                step, value = steps.throw, error


def held(name: str, seconds: float) -> None:
    """Count a step that held the loop, and log it."""
    HELD.labels(name).inc()
    now = monotonic()
    if now - _logged.get(name, -LOGGED_SECONDS) >= LOGGED_SECONDS:
        _logged[name] = now
        _logger.warning("loop.held", work=name, ms=round(seconds * 1000))


async def measure_lag() -> None:
    """Observe `LAG` until cancelled."""
    while True:
        due = monotonic() + BEAT_SECONDS
        await asyncio.sleep(BEAT_SECONDS)
        LAG.observe(max(0.0, monotonic() - due))


def took_long() -> None:
    """Have other steps of this tenant wait for the next rounds of the loop: one gets its turn in each."""
    current = tenant.get()
    if current is not None and current.id not in _waiting:
        _waiting[current.id] = deque()
        asyncio.get_running_loop().call_soon(_next_turn, current.id)


def turn() -> Generator[Any, None, None]:
    """Wait for the turn of this tenant, if it has to: `yield from` this in an `__await__`, before the step."""
    current = tenant.get() if _waiting else None
    queue = None if current is None else _waiting.get(current.id)
    if queue is not None:
        place = asyncio.get_running_loop().create_future()
        queue.append(place)
        yield from place


def _next_turn(tenant_id: Hashable) -> None:
    queue = _waiting[tenant_id]
    while queue:
        place = queue.popleft()
        if not place.done():  # else it was cancelled
            place.set_result(None)
            asyncio.get_running_loop().call_soon(_next_turn, tenant_id)
            return
    del _waiting[tenant_id]
