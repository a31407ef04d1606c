"""The steps of requests and items that held the event loop."""

from collections.abc import Awaitable, Callable
from typing import Any

TRIES = 3


class Steps(list[tuple[str, float]]):
    """The work and the processor time of each step that was too long."""

    async def during(self, work: Callable[[], Awaitable[Any]]) -> None:
        """Do the work; keep its long steps only if it has some each time, of three.

        A step that is long by itself is long every time. What the machine does beside it, and what a first call
        imports, is not seen again.
        """
        for _ in range(TRIES):
            before = len(self)
            await work()
            if len(self) == before:
                return
            steps = self[before:]
            del self[before:]
        self += steps
