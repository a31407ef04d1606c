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

    def fresh(self, name: str, seconds: float) -> Response | None:
        """Return the response of `name` if it is there and was begun less than `seconds` ago.

        Raises:
            what was raised instead of a response.
        """
        since, task = self._made.get(name, _NEVER)
        return task.result() if task is not None and task.done() and clock.monotonic() < since + seconds else None

    async def make(self, name: str, make: Callable[[], Coroutine[Any, Any, Response]]) -> Response:
        """Return the response of `make`, or the one that is being made already."""
        _, task = self._made.get(name, _NEVER)
        if task is None or task.done():
            task = asyncio.get_running_loop().create_task(make())
            self._made[name] = clock.monotonic(), task
        return await asyncio.shield(task)


_NEVER: tuple[float, asyncio.Task[Response] | None] = (0.0, None)
