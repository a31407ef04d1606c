"""Turns on the event loop: of the long steps that one tenant's work takes, others wait for one at a time.

All work that is ready runs in one round of the loop. Without turns, fifty requests of one caller, each with a step of
15 ms, would hold up each step of all others for most of a second (decision 0136).
"""

import asyncio
from collections import deque
from collections.abc import Generator, Hashable
from typing import Any

from signalpost.kit.tenant import tenant

LONG_SECONDS = 0.002
"""Shorter steps need no turns."""

_waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
"""Of each tenant that had a long step: whatever else of it became ready since, in order."""


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
