"""Responses that all clients share for a moment: however many ask, one of them is made at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from signalpost.kit import clock
from signalpost.web.response import Response


class ResponseCache:
    """The last response of each operation, or the exception that came instead of one."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[float, asyncio.Task[Response]]] = {}

    async def get(self, name: str, seconds: float, make: Callable[[], Coroutine[Any, Any, Response]]) -> Response:
        """Return the response of `name` if it was begun less than `seconds` ago, or else the one of `make`.

        Who comes while it is being made waits for it.
        """
        now = clock.monotonic()
        since, task = self._made.get(name, (0.0, None))
        if task is None or (task.done() and now >= since + seconds):
            task = asyncio.get_running_loop().create_task(make())
            self._made[name] = now, task
        return task.result() if task.done() else await asyncio.shield(task)
