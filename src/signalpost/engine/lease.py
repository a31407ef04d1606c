"""One claimed lane: runs its items and remembers how they ended."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Self
from uuid import UUID

import asyncpg

from signalpost.engine import lanes, metrics
from signalpost.engine.clock import boottime
from signalpost.engine.contract import ERROR_PAUSE_SECONDS, LEASE_SECONDS, Done, LeaseLost, Source
from signalpost.engine.position import Position
from signalpost.engine.shares import claimant_of
from signalpost.kit import log
from signalpost.kit.db import DATABASE_UNREACHABLE, Database, Db, Row
from signalpost.kit.loop_watch import Watched
from signalpost.kit.problems import Unavailable
from signalpost.kit.tenant import Tenant, across, work_for

_log = log.get("engine")
_DISCONNECTED = (*DATABASE_UNREACHABLE, asyncpg.InternalClientError)  # the latter: a connection cut in mid-statement
_FRESH_MARGIN_SECONDS = 1.0


class LaneLease:
    """A claimed lane with its items. Implements `Lease`, which its items see."""

    def __init__(
        self, source: Source[Any, Any], database: Database, row: Row, owner: UUID, claimed_at: float,
        position: Position,
    ) -> None:  # fmt: skip
        self.kind = source.kind
        self.key: UUID = row["key"]
        self.fence: int = row["fence"]
        self.claimant = claimant_of(row)
        """For whom the lane is held."""
        self.tenant_id, self.workspace_id, self.platform = self.claimant
        self.owner = owner
        self.metrics = metrics.of(self.kind, self.platform or "")
        self.fresh_until = claimed_at + LEASE_SECONDS
        self.claimed = 0
        """Items handed out, without those that got no token."""
        self.done: list[Done[Any, Any]] = []
        self.handed_back: list[tuple[UUID, Any]] = []
        self.pause_seconds = 0.0
        """How long the lane is kept back after its release."""
        self.outcomes: Counter[str] = Counter()
        self.predecessor: asyncio.Task[None] | None = None
        """The task of an earlier lease of this lane in this process, which must end first."""
        self.task: asyncio.Task[None] | None = None
        self.released = asyncio.Event()
        self._closed = False  # start no more items
        self._lost = False
        self._waiting: deque[Any] = deque()
        self._interrupted = 0
        self._source = source
        self._database = database
        self.position = position

    def hand_out(self, items: Iterable[Any]) -> None:
        """Set the items to run, in this order."""
        self._waiting = deque(items)
        self.claimed = len(self._waiting)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """See `Lease`."""
        connected = False
        before = self.position.began()
        try:
            async with self._database.transaction() as db:
                mark = await db.fetchval(lanes.CHECK, self.kind, self.key, self.owner, self.fence)
                if mark is None:
                    raise LeaseLost
                try:
                    yield db
                except _DISCONNECTED:
                    connected = not db.is_closed()  # then the item caused it: a bad argument, a slow statement
                    raise
            self.position.committed(before, mark)
        except _DISCONNECTED as error:
            if connected:
                raise
            raise Unavailable("The database connection was lost.") from error
        except asyncpg.LockNotAvailableError as error:
            raise Unavailable("Another session holds a row for too long.") from error

    @property
    def fresh_seconds(self) -> float:
        """How long the lease may still be relied on unless it is renewed; 0 or less: not any more."""
        return self.fresh_until - _FRESH_MARGIN_SECONDS - boottime()

    def ensure_fresh(self) -> None:
        """See `Lease`."""
        if self._lost or self.fresh_seconds <= 0:
            raise LeaseLost

    @asynccontextmanager
    async def while_fresh(self) -> AsyncIterator[None]:
        """See `Lease`."""
        self.ensure_fresh()
        limit = asyncio.timeout(None)
        watch = _Renewals(self, limit)
        try:
            async with limit:
                try:
                    yield
                finally:
                    watch.stop()
        except TimeoutError as error:
            if limit.expired():
                raise LeaseLost from error
            raise

    def pause_lane(self, seconds: float) -> None:
        """See `Lease`."""
        self.pause_seconds = max(self.pause_seconds, seconds)
        self._closed = True

    def count(self, outcome: str) -> None:
        """See `Lease`."""
        self.outcomes[outcome] += 1
        metrics.outcomes(self.kind, self.platform or "", outcome).inc()
        if outcome == "retrying":
            self.metrics.retried.inc()

    def cancel(self) -> None:
        """Stop at once: the lane was taken away or the process ends. Items are handed back if it is still ours."""
        self._closed = self._lost = True
        if self.task is not None:
            self.task.cancel()

    async def run(self) -> None:
        """Run all items, at most `parallel` at the same time; raises nothing but CancelledError."""
        if self.tenant_id is not None:  # what its items do counts as its workspace's, as in requests
            work_for(Tenant(self.tenant_id, self.workspace_id))
        else:  # work of the installation, which is about all workspaces
            across.set(True)
        if self.predecessor is not None:
            await asyncio.wait([self.predecessor])
        if self._source.parallel == 1:
            await self._run_items()
            return
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._source.parallel, self.claimed)):
                group.create_task(self._run_items())

    def end(self) -> None:
        """Hand back items that never started. Also right for a task that was cancelled before it began."""
        self.handed_back.extend((self.key, item) for item in self._waiting)
        self.metrics.finished.inc(self.claimed - len(self._waiting) - self._interrupted)

    async def _run_items(self) -> None:
        with _Watchdog(self._source.item_seconds_max) as watchdog:
            while self._waiting and not self._closed:
                watchdog.item_started()
                await self._run_item(self._waiting.popleft(), watchdog)

    async def _run_item(self, item: Any, watchdog: "_Watchdog") -> None:
        try:
            result = await Watched(self._source.run(self, item), f"{self.kind} {self.platform or ''}")
        except (LeaseLost, Unavailable):
            # Nothing is wrong with the item: it is handed out again, here or elsewhere.
            self._interrupt(item)
            self.pause_lane(1.0)
        except asyncio.CancelledError:
            if watchdog.timed_out():
                self._fail(item, TimeoutError(f"took longer than {self._source.item_seconds_max} s"))
                return
            self._interrupt(item)
            raise
        except Exception as error:  # noqa: BLE001 - whatever a source raises must end here, not the loop
            self._fail(item, error)
        else:
            if result is not None:
                self.done.append(Done(self.key, item, result, None))

    def _interrupt(self, item: Any) -> None:
        self._interrupted += 1
        self.handed_back.append((self.key, item))

    def _fail(self, item: Any, error: Exception) -> None:
        self.metrics.errors.inc()
        _log.error("item.unexpected_error", source=self.kind, lane=str(self.key), exc_info=error)
        self.done.append(Done(self.key, item, None, error))
        self.pause_seconds = max(self.pause_seconds, ERROR_PAUSE_SECONDS)


class _Renewals:
    """Ends a block by its `limit` once the lease must not be relied on any more, unless it is renewed."""

    def __init__(self, lease: LaneLease, limit: asyncio.Timeout) -> None:
        self._lease = lease
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_soon(self._check)

    def stop(self) -> None:
        self._timer.cancel()

    def _check(self) -> None:
        left = self._lease.fresh_seconds
        if left > 0:
            self._timer = self._loop.call_later(left, self._check)
        else:
            self._limit.reschedule(self._loop.time())


class _Watchdog:
    """Cancels the current task when one item takes too long.

    One timer per lease: `asyncio.timeout` for each item cost a third of the throughput of small items.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._fired = False
        self._started = self._loop.time()
        self._timer = self._loop.call_later(seconds, self._check)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def item_started(self) -> None:
        self._started = self._loop.time()

    def timed_out(self) -> bool:
        """Whether a CancelledError just caught was caused by this watchdog alone; if so, it is taken back."""
        fired, self._fired = self._fired, False
        if not fired or self._task is None:
            return False
        self._timer = self._loop.call_later(self._seconds, self._check)
        return self._task.uncancel() == 0

    def _check(self) -> None:
        left = self._started + self._seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check)
        elif self._task is not None:
            self._fired = True
            self._task.cancel()
