"""How many calls each user of a client may have under way, so that nobody takes all of its connections."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from signalpost.kit.http.errors import NotSent


class Shares:
    """Counts calls by key; one more than `calls_max` of a key waits until another ends, in order."""

    def __init__(self, calls_max: int) -> None:
        self._calls_max = calls_max
        self._under_way: dict[Hashable, int] = {}
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def call(self, key: Hashable, wait_seconds: float) -> AsyncIterator[None]:
        """Count a call of `key` while the block runs.

        Raises:
            NotSent: all calls of `key` stayed under way for `wait_seconds`; `ours`, whatever their receivers do.
        """
        if self._under_way.get(key, 0) < self._calls_max:
            self._under_way[key] = self._under_way.get(key, 0) + 1
        else:
            await self._wait(key, wait_seconds)
        try:
            yield
        finally:
            self._end(key)

    async def _wait(self, key: Hashable, seconds: float) -> None:
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
                raise NotSent("too many calls of the same user are under way", stage="pool", ours=True) from None
            raise

    def _end(self, key: Hashable) -> None:
        """Hand the place of a call to the first that waits."""
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
