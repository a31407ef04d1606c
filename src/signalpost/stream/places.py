"""The places of streams, which all processes of an installation share: an owner has as many in ten as in one.

A process states how many streams of each owner it has, with what it reads anyway, and before it opens one more. So the
places of a process that died or froze come free by themselves; when it wakes, it has what others left (decision 0479).
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.kit import clock, ids
from signalpost.kit.db import Database, Db
from signalpost.stream import queries

TENANT_MAX: Final = 50
HOLD_SECONDS: Final = 10.0
"""How long what a process stated counts."""
RENEW_SECONDS: Final = 2.0
"""After this long it states again what has not changed."""
ASK_SECONDS: Final = 4.0
"""How long a request waits for a place; the rest of its time is for what it missed."""


class Places:
    """What this process stated. One statement after the other, so that the last one is the state of now."""

    def __init__(self) -> None:
        self._process_id = ids.new_id()
        self._stated: dict[UUID, int] = {}
        self._stated_at = float("-inf")
        self._stating = asyncio.Lock()

    @property
    def is_empty(self) -> bool:
        """Whether, by what was stated, this process has no stream."""
        return not self._stated

    def must_state(self, streams: Mapping[UUID, int]) -> bool:
        """Whether these streams of owners have to be stated. While a request does it, the next reading looks again."""
        if self._stating.locked():
            return False
        is_old = bool(streams) and clock.monotonic() - self._stated_at >= RENEW_SECONDS
        return is_old or streams != self._stated

    async def state(self, db: Db, streams: Mapping[UUID, int]) -> tuple[datetime, Mapping[UUID, int]]:
        """State all streams; return the horizon of `queries.horizon`, and the owners of whom this process has too many,
        with how many it may have.

        Where `must_state` says so, it waits for no request.
        """
        async with self._stating:
            horizon, granted = await queries.horizon_with_places(
                db, self._process_id, streams, most=TENANT_MAX, seconds=HOLD_SECONDS
            )
            self._stated, self._stated_at = dict(granted), clock.monotonic()
        return horizon, _fewer(granted, streams)

    async def take(self, database: Database, owner_id: UUID, count: Callable[[], int]) -> Mapping[UUID, int]:
        """State that an owner has as many streams as `count` says when its turn comes; return what `state` does of it.

        Raises:
            Unavailable, TimeoutError: the database cannot be reached.
        """
        async with asyncio.timeout(ASK_SECONDS), self._stating, database.reserve.connection() as db:
            streams = {owner_id: count()}
            granted = await queries.take_places(db, self._process_id, streams, most=TENANT_MAX, seconds=HOLD_SECONDS)
            self._stated |= granted
        return _fewer(granted, streams)


def _fewer(granted: Mapping[UUID, int], streams: Mapping[UUID, int]) -> Mapping[UUID, int]:
    return {owner_id: count for owner_id, count in granted.items() if count < streams[owner_id]}
