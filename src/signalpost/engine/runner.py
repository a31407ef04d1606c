"""The loop of one source: claim ready lanes, run their items, release the lanes in batches, wait."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from operator import itemgetter
from typing import Any
from uuid import UUID

from signalpost.engine import buckets, metrics
from signalpost.engine.clock import ClockGuard, boottime
from signalpost.engine.contract import ERROR_PAUSE_SECONDS, Done, Source
from signalpost.engine.lanes import LaneStatements
from signalpost.engine.lease import LaneLease
from signalpost.engine.registration import WorkerRegistration
from signalpost.kit import log
from signalpost.kit.db import DATABASE_DOWN, RETRYABLE, Database, Db
from signalpost.kit.problems import Unavailable

_log = log.get("engine")

IDLE_SECONDS_MAX = 1.0
_BACKOFF_SECONDS_MAX = 2.0
_RELEASE_LANES_MAX = 256
_BUSY_SECONDS = 0.05
"""After this long a lane is released again that could not be: another transaction held a row of it locked."""


class _ClockStepped(Exception):
    """The database clock jumped: undo the claim that saw it."""


class Runner:
    """Claims and runs the lanes of one source in this process."""

    def __init__(
        self, source: Source[Any, Any], database: Database, registration: WorkerRegistration, clock: ClockGuard
    ) -> None:
        self.source = source
        self.statements = LaneStatements(source)
        self.leases: set[LaneLease] = set()
        self.woken = asyncio.Event()
        self.looped_at = float("-inf")  # by boottime()
        self.stopping = False
        self._floor_found_at = float("-inf")  # by boottime()
        self._database = database
        self._registration = registration
        self._clock = clock
        self._in_flight: Counter[UUID] = Counter()  # leases by workspace
        self._claim_lock = asyncio.Lock()
        self._ended: list[LaneLease] = []
        self._ended_event = asyncio.Event()

    @property
    def paused(self) -> bool:
        return self._clock.problem is not None and self.source.pauses_on_clock_step

    async def loop(self) -> None:
        """Claim until asked to stop. Survives everything but cancellation."""
        failures = misses = 0
        while not self.stopping:
            self.woken.clear()
            self.looped_at = boottime()
            try:
                if await self.claim(max(1, self.source.lanes // 2)):
                    failures = misses = 0
                    await asyncio.sleep(0)
                    continue
                pause = await self._until_next()
                misses = misses + 1 if pause <= 0 else 0  # ready, but locked by another: look again soon, then later
                pause = max(pause, 0.0025 * 2 ** min(misses, 8) if misses else 0.001)
                failures = 0
            except Exception as error:  # noqa: BLE001 - the loop must not die; it logs the error and slows down
                failures += 1
                await asyncio.sleep(_backoff("claim", self.source.kind, failures, error))  # waking does not shorten it
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.woken.wait(), pause)

    async def quiesce(self) -> None:
        """Stop claiming; on return no claim is under way."""
        self.stopping = True
        self.woken.set()
        async with self._claim_lock:
            pass

    async def claim(self, lanes: int, *, items: int | None = None) -> list[LaneLease]:
        """Claim up to `lanes` lanes and `items` items, and start running them.

        Raises:
            whatever the database or the source raises; then nothing was claimed.
        """
        async with self._claim_lock:
            owner, free = self._registration.owner, min(lanes, self.source.lanes - len(self.leases))
            if free <= 0 or owner is None or self.paused or self.stopping:
                return []
            per_lane = self.source.per_lane
            if items is not None:
                per_lane = min(per_lane, items)
                free = min(free, items // per_lane)
            try:
                async with self._database.transaction() as db:
                    leases = await self._claim_leases(db, owner, free, per_lane)
            except _ClockStepped:
                return []
            if owner != self._registration.owner:
                return []  # others took us for dead meanwhile; the lanes are free again
            self._start(leases)
            return leases

    async def _claim_leases(self, db: Db, owner: UUID, lanes: int, per_lane: int) -> list[LaneLease]:
        sent = boottime()
        if sent - self._floor_found_at >= IDLE_SECONDS_MAX:
            await self.statements.find_floor(db)
            self._floor_found_at = sent
        rows = await self.statements.claim(db, lanes, owner, self._in_flight)
        if not rows:
            return []
        if not self._registration.observe(rows[0]["clock"], sent) and self.source.pauses_on_clock_step:
            raise _ClockStepped
        leases = {
            row["key"]: LaneLease(self.source, self._database, row, owner, sent)
            for row in sorted(rows, key=itemgetter("wake_at"))
        }
        items: dict[UUID, list[Any]] = {key: [] for key in leases}
        for key, item in await self.source.due(db, list(leases.values()), per_lane):
            items[key].append(item)
        if type(self.source).bucket is not Source.bucket:
            await self._take_tokens(db, leases, items)
        for key, lease in leases.items():
            lease.hand_out(items[key])
        for row in rows:
            metrics.LAG.labels(*leases[row["key"]].labels).observe(max(0.0, row["lag"]))
        return list(leases.values())

    async def _take_tokens(self, db: Db, leases: dict[UUID, LaneLease], items: dict[UUID, list[Any]]) -> None:
        """Hand back items without a token, and those that follow them in their lane, so that the order is kept."""
        needs = {key: [self.source.bucket(item) for item in claimed] for key, claimed in items.items()}
        demand = Counter(bucket for names in needs.values() for bucket in names if bucket is not None)
        grants = await buckets.take(db, demand) if demand else {}
        used: Counter[str] = Counter()
        for key, lease in leases.items():
            for index, bucket in enumerate(needs[key]):
                if bucket is None or (grant := grants.get(bucket)) is None:
                    continue
                used[bucket] += 1
                if used[bucket] > grant.tokens:
                    lease.pause_seconds = grant.wait_seconds(used[bucket] - grant.tokens - 1)
                    lease.handed_back = [(key, item) for item in items[key][index:]]
                    del items[key][index:]
                    break

    def _start(self, leases: list[LaneLease]) -> None:
        earlier = {lease.key: lease for lease in self.leases}
        for lease in leases:
            if (lost := earlier.get(lease.key)) is not None:  # taken away and free again before we noticed
                lost.cancel()
                lease.predecessor = lost.task
            self.leases.add(lease)
            if lease.workspace_id is not None:
                self._in_flight[lease.workspace_id] += 1
            metrics.CLAIMED.labels(*lease.labels).inc(lease.claimed)
            lease.task = asyncio.create_task(lease.run(), name=f"engine.{lease.kind}")
            lease.task.add_done_callback(partial(self._end, lease))

    def _end(self, lease: LaneLease, _task: "asyncio.Task[None]") -> None:
        lease.end()
        self._enqueue_release(lease)

    def _enqueue_release(self, lease: LaneLease) -> None:
        self._ended.append(lease)
        self._ended_event.set()

    async def release_loop(self) -> None:
        """Release ended leases, all at hand in one transaction; while it runs, the next ones gather."""
        failures = 0
        while True:
            await self._ended_event.wait()
            owner = self._ended[0].owner
            batch = [lease for lease in self._ended[:_RELEASE_LANES_MAX] if lease.owner == owner]
            try:
                busy = await self._release(owner, batch)
                failures = 0
            except Exception as error:  # noqa: BLE001 - the lanes stay ours, and a later round releases them
                failures += 1
                await asyncio.sleep(_backoff("release", self.source.kind, failures, error))
                if failures < 10 or isinstance(error, (*DATABASE_DOWN, Unavailable)):
                    continue
                busy = set()
            released = set(batch) - busy
            self._ended = [lease for lease in self._ended if lease not in released and lease not in busy]
            if not self._ended:
                self._ended_event.clear()
            for lease in busy:
                asyncio.get_running_loop().call_later(_BUSY_SECONDS, self._enqueue_release, lease)
            self._forget(released)

    async def _release(self, owner: UUID, leases: list[LaneLease]) -> set[LaneLease]:
        """Settle and release those whose rows are free, drop those no longer ours; return those to try again."""
        leases.sort(key=lambda lease: lease.key)
        keys, fences = [lease.key for lease in leases], [lease.fence for lease in leases]
        async with self._database.transaction() as db:
            locked = await self.statements.lock(db, keys, fences, owner)
            ours = locked if len(locked) == len(leases) else await self.statements.ours(db, keys, fences, owner)
            mine = [lease for lease in leases if lease.key in locked]
            busy = await self._settle(db, mine)
            free = [lease for lease in mine if lease.key not in busy]
            await self._hand_back(db, free)
            await self._free(db, free)
        for lease in leases:
            if lease.key not in ours:
                metrics.LEASES_LOST.labels(*lease.labels).inc()
                _log.warning("lease.lost", source=lease.kind, lane=str(lease.key), dropped=len(lease.done))
        return {lease for lease in leases if lease.key in ours and (lease.key in busy or lease.key not in locked)}

    async def _settle(self, db: Db, leases: Sequence[LaneLease]) -> Collection[UUID]:
        """Let the source write the outcomes, and return the lanes it could not write now.

        An outcome that cannot be written at all holds up its own lane only.
        """
        done = [item for lease in leases for item in lease.done]
        if not done:
            return ()
        try:
            async with db.transaction():
                return await self.source.settle(db, done)
        except Exception as error:
            if db.is_closed() or isinstance(error, RETRYABLE):
                raise
            _log.error("settle.failed", source=self.source.kind, items=len(done), exc_info=error)
            return {lease.key for lease in leases if not await self._settle_singly(db, lease)}

    async def _settle_singly(self, db: Db, lease: LaneLease) -> bool:
        """Settle item by item; return False, with nothing written, if another transaction holds a row of one locked."""
        savepoint = db.transaction()
        await savepoint.start()
        for item in lease.done:
            if not await self._settle_item(db, lease, item):
                await savepoint.rollback()
                return False
        await savepoint.commit()
        return True

    async def _settle_item(self, db: Db, lease: LaneLease, item: Done[Any, Any]) -> bool:
        try:
            async with db.transaction():
                return not await self.source.settle(db, [item])
        except Exception as error:
            if db.is_closed() or isinstance(error, RETRYABLE):
                raise
            metrics.ERRORS.labels(*lease.labels).inc()
            _log.error("settle.item_failed", source=lease.kind, lane=str(lease.key), exc_info=error)
            lease.pause_seconds = max(lease.pause_seconds, ERROR_PAUSE_SECONDS)
            return True

    async def _hand_back(self, db: Db, leases: Sequence[LaneLease]) -> None:
        if handed_back := [pair for lease in leases for pair in lease.handed_back]:
            await self.source.hand_back(db, handed_back)

    async def _free(self, db: Db, leases: Sequence[LaneLease]) -> None:
        keys = [lease.key for lease in leases]
        excluded = await self.statements.exclude_wakers(db, keys)
        await self.statements.free(db, keys, [lease.pause_seconds for lease in leases], excluded)

    def _forget(self, leases: Collection[LaneLease]) -> None:
        for lease in leases:
            self.leases.discard(lease)
            if lease.workspace_id is not None:
                self._in_flight[lease.workspace_id] -= 1
                if not self._in_flight[lease.workspace_id]:
                    del self._in_flight[lease.workspace_id]
            lease.released.set()
        self.woken.set()

    async def _until_next(self) -> float:
        """Return the seconds until a lane is ready for us, at most 1; 0 or less: one is ready, but was locked."""
        idle = IDLE_SECONDS_MAX * random.uniform(0.8, 1)  # noqa: S311 - sources that ask in turn share a connection
        if len(self.leases) >= self.source.lanes or self.paused or self._registration.owner is None:
            return idle  # a release, or the clock, wakes us
        async with self._database.connection() as db:
            seconds = await self.statements.seconds_to_next(db, self._in_flight)
        return idle if seconds is None else min(idle, seconds)


def _backoff(loop: str, kind: str, failures: int, error: Exception) -> float:
    """Log that a round failed; return how many seconds to wait before the next."""
    metrics.LOOP_FAILURES.labels(loop).inc()
    trace = None if isinstance(error, (*DATABASE_DOWN, Unavailable)) else error
    _log.warning(f"{loop}.failed", source=kind, failures=failures, error=repr(error), exc_info=trace)
    return min(_BACKOFF_SECONDS_MAX, 0.05 * 2.0 ** min(failures, 8)) * random.uniform(0.7, 1)  # noqa: S311 - spreads load
