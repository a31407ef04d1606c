"""The steps of requests and items that held the event loop."""

from collections.abc import Awaitable, Callable
from typing import Any

TRIES = 3


class Steps(list[tuple[str, float]]):
    """The work and the processor time of each step that was too long, of what is done by `during`."""

    _measures = False

    def add(self, name: str, seconds: float) -> None:
        """Note a step that was too long."""
        if self._measures:
            self.append((name, seconds))

    async def during(self, work: Callable[[], Awaitable[Any]]) -> None:
        """Do the work; keep its long steps only if it has some each time, of three.

        A step that is long by itself is long every time. What the machine does beside it, and what a first call
        imports, is not seen again.
        """
        for _ in range(TRIES):
            before, self._measures = len(self), True
            await work()
            self._measures = False
            if len(self) == before:
                return
            steps = self[before:]
            del self[before:]
        self += steps
