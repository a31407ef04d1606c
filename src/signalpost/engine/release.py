"""Settling and releasing ended leases: all at hand in one transaction, none held up by another's locked row."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, TypeAlias
from uuid import UUID

from signalpost.engine import metrics
from signalpost.engine.contract import ERROR_PAUSE_SECONDS, Done, Source
from signalpost.engine.lanes import LaneStatements
from signalpost.engine.lease import LaneLease
from signalpost.kit import log
from signalpost.kit.db import DATABASE_UNREACHABLE, RETRYABLE, Database, Db
from signalpost.kit.problems import Unavailable
from signalpost.kit.tenant import tenant

_log = log.get("engine")

BUSY_SECONDS = 0.05
"""After this long a lane is released again that could not be: another transaction held a row of it locked."""
_LANES_MAX = 256
_FAILURES_MAX = 10
_BACKOFF_SECONDS_MAX = 2.0


_Settle: TypeAlias = Callable[[Db, Sequence[LaneLease]], Awaitable[Collection[UUID]]]


class _SettleFailed(Exception):
    """The outcomes could not be written together; its cause tells why."""

    def __init__(self, items: int) -> None:
        super().__init__()
        self.items = items


class Releaser:
    """Releases the leases of one source."""

    def __init__(
        self,
        source: Source[Any, Any],
        statements: LaneStatements,
        database: Database,
        on_released: Callable[[Collection[LaneLease], float | None], None],
    ) -> None:
        self._source = source
        self._statements = statements
        self._database = database
        self._on_released = on_released
        self._ended: list[LaneLease] = []
        self._next_seconds: float | None = None  # until a lane of the last release is ready again
        self._waiting = asyncio.Event()

    def add(self, lease: LaneLease) -> None:
        """Release this lease, whose task has ended, as soon as possible."""
        self._ended.append(lease)
        self._waiting.set()

    async def loop(self) -> None:
        """Release leases as they are added; while one transaction runs, the next ones gather."""
        tenant.set(None)  # a request that ticks may have started this
        failures = 0
        while True:
            await self._waiting.wait()
            owner = self._ended[0].owner
            batch = [lease for lease in self._ended[:_LANES_MAX] if lease.owner == owner]
            self._next_seconds = None
            try:
                busy = await self._release(owner, batch)
                failures = 0
            except Exception as error:  # noqa: BLE001 - the lanes stay ours, and a later round releases them
                failures += 1
                await asyncio.sleep(backoff("release", self._source.kind, failures, error))
                if failures < _FAILURES_MAX or isinstance(error, (*DATABASE_UNREACHABLE, Unavailable)):
                    continue
                busy = set()
            self._remove(batch, busy)

    def _remove(self, batch: Collection[LaneLease], busy: Collection[LaneLease]) -> None:
        tried = set(batch)
        self._ended = [lease for lease in self._ended if lease not in tried]
        if not self._ended:
            self._waiting.clear()
        for lease in busy:
            asyncio.get_running_loop().call_later(BUSY_SECONDS, self.add, lease)
        self._on_released(tried.difference(busy), self._next_seconds)

    async def _release(self, owner: UUID, leases: list[LaneLease]) -> set[LaneLease]:
        """Settle and release those whose rows are free, drop those no longer ours; return those to try again."""
        leases.sort(key=lambda lease: lease.key)
        try:
            ours, busy = await self._settle_and_free(owner, leases, self._settle)
        except _SettleFailed as failed:
            _log.error("settle.failed", source=self._source.kind, items=failed.items, exc_info=failed.__cause__)
            ours, busy = await self._settle_and_free(owner, leases, self._settle_singly)
        for lease in leases:
            if lease.key not in ours:
                lease.metrics.leases_lost.inc()
                _log.warning("lease.lost", source=lease.kind, lane=str(lease.key), dropped=len(lease.done))
        return {lease for lease in leases if lease.key in ours and lease.key in busy}

    async def _settle_and_free(
        self, owner: UUID, leases: Sequence[LaneLease], settle: _Settle
    ) -> tuple[set[UUID], set[UUID]]:
        """Return the lanes that are ours, and those that were not released because a row was locked."""
        keys, fences = [lease.key for lease in leases], [lease.fence for lease in leases]
        async with self._database.transaction() as db:
            locked = await self._statements.lock(db, keys, fences, owner)
            ours = locked if len(locked) == len(leases) else await self._statements.ours(db, keys, fences, owner)
            mine = [lease for lease in leases if lease.key in locked]
            unwritten = await settle(db, mine) if any(lease.done for lease in mine) else ()
            free = [lease for lease in mine if lease.key not in unwritten]
            await self._hand_back(db, free)
            await self._free(db, free)
        return ours, {*keys}.difference(lease.key for lease in free)

    async def _settle(self, db: Db, leases: Sequence[LaneLease]) -> Collection[UUID]:
        """Have the source write all outcomes; return the lanes whose outcomes it could not write now."""
        done = [item for lease in leases for item in lease.done]
        try:
            return await self._source.settle(db, done)
        except Exception as error:
            if db.is_closed() or isinstance(error, RETRYABLE):
                raise
            raise _SettleFailed(len(done)) from error

    async def _settle_singly(self, db: Db, leases: Sequence[LaneLease]) -> Collection[UUID]:
        """Settle item by item: an outcome that cannot be written at all holds up its own lane only."""
        return {lease.key for lease in leases if not await self._settle_lane(db, lease)}

    async def _settle_lane(self, db: Db, lease: LaneLease) -> bool:
        """Return False, with nothing written, if another transaction holds a row of one item locked."""
        savepoint = db.transaction()
        await savepoint.start()
        for item in lease.done:
            if not await self._settle_item(db, lease, item):
                await savepoint.rollback()
                return False
        await savepoint.commit()
        return True

    async def _settle_item(self, db: Db, lease: LaneLease, item: Done[Any, Any]) -> bool:
        """Write one outcome; one that cannot be written counts as an unexpected error of its item."""
        try:
            async with db.transaction():
                return not await self._source.settle(db, [item])
        except Exception as error:
            if db.is_closed() or isinstance(error, RETRYABLE):
                raise
            lease.metrics.errors.inc()
            _log.error("settle.item_failed", source=lease.kind, lane=str(lease.key), exc_info=error)
            if item.error is None:
                return await self._settle_item(db, lease, Done(item.key, item.item, None, error))
            lease.pause_seconds = max(lease.pause_seconds, ERROR_PAUSE_SECONDS)
            return True

    async def _hand_back(self, db: Db, leases: Sequence[LaneLease]) -> None:
        if handed_back := [pair for lease in leases for pair in lease.handed_back]:
            await self._source.hand_back(db, handed_back)

    async def _free(self, db: Db, leases: Sequence[LaneLease]) -> None:
        if not leases:
            return
        keys = [lease.key for lease in leases]
        excluded = await self._statements.exclude_wakers(db, keys)
        pauses = [lease.pause_seconds for lease in leases]
        self._next_seconds = await self._statements.free(db, keys, pauses, excluded)


def backoff(loop: str, kind: str, failures: int, error: Exception) -> float:
    """Log that a round of a loop failed; return how many seconds to wait before the next."""
    metrics.LOOP_FAILURES.labels(loop).inc()
    trace = None if isinstance(error, (*DATABASE_UNREACHABLE, Unavailable)) else error
    _log.warning(f"{loop}.failed", source=kind, failures=failures, error=repr(error), exc_info=trace)
    return min(_BACKOFF_SECONDS_MAX, 0.05 * 2.0 ** min(failures, 8)) * random.uniform(0.7, 1)  # noqa: S311 - spreads load
