"""How much of a scarce thing each user may have at a time, so that nobody takes all of it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager


class Busy(Exception):
    """A user's share stayed in use for as long as one more wanted to wait."""


class Shares:
    """Counts what is under way by key; one more than `each_max` of a key waits until another ends, in order."""

    def __init__(self, each_max: int) -> None:
        self._each_max = each_max
        self._under_way: dict[Hashable, int] = {}
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def take(self, key: Hashable, wait_seconds: float | None = None) -> AsyncIterator[None]:
        """Count the block as one of `key` while it runs.

        Raises:
            Busy: all others of `key` stayed under way for `wait_seconds`.
        """
        if self._under_way.get(key, 0) < self._each_max:
            self._under_way[key] = self._under_way.get(key, 0) + 1
        else:
            await self._wait(key, wait_seconds)
        try:
            yield
        finally:
            self._end(key)

    async def _wait(self, key: Hashable, seconds: float | None) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue = self._waiting.setdefault(key, deque())
        queue.append(turn)
        try:
            async with asyncio.timeout(seconds):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self._end(key)  # our turn came at the same moment: pass it on
            elif turn in queue:
                queue.remove(turn)
            if isinstance(error, TimeoutError):
                raise Busy from None
            raise

    def _end(self, key: Hashable) -> None:
        """Hand the place to the first that waits."""
        queue = self._waiting.get(key)
        while queue:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting.pop(key, None)
        left = self._under_way[key] - 1
        if left:
            self._under_way[key] = left
        else:
            del self._under_way[key]
