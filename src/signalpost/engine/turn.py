"""One turn of one lane: run its items, remember how they ended."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Self
from uuid import UUID

import asyncpg

from signalpost.engine import lanes, metrics
from signalpost.engine.clock import steady
from signalpost.engine.contract import ERROR_PAUSE_SECONDS, LEASE_SECONDS, Done, LeaseLost, Source
from signalpost.kit import log
from signalpost.kit.db import DATABASE_DOWN, Database, Db, Row
from signalpost.kit.problems import Unavailable

_log = log.get("engine")
_GONE = (*DATABASE_DOWN, asyncpg.InternalClientError)  # the latter: a connection cut in the middle of a statement
_FRESH_MARGIN_SECONDS = 1.0


class Turn:
    """A claimed lane with its items. Is the `Lease` that its items see."""

    def __init__(self, source: Source[Any, Any], database: Database, row: Row, owner: UUID, claimed_at: float) -> None:
        self.kind = source.kind
        self.key: UUID = row["key"]
        self.fence: int = row["fence"]
        self.workspace_id: UUID | None = row["workspace_id"]
        self.platform: str | None = row["platform"]
        self.owner = owner
        self.fresh_until = claimed_at + LEASE_SECONDS
        self.claimed = 0
        """Items handed out, without those that got no token."""
        self.done: list[Done[Any, Any]] = []
        self.back: list[tuple[UUID, Any]] = []
        self.hold = 0.0
        self.outcomes: Counter[str] = Counter()
        self.after: asyncio.Task[None] | None = None
        """An earlier turn of this lane in this process that must end first."""
        self.task: asyncio.Task[None] | None = None
        self.released = asyncio.Event()
        self._closed = False  # start no more items
        self._lost = False
        self._waiting: deque[Any] = deque()
        self._interrupted = 0
        self._source = source
        self._database = database

    @property
    def labels(self) -> tuple[str, str]:
        return self.kind, self.platform or ""

    def hand_out(self, items: Iterable[Any]) -> None:
        """Say which items to run, in this order."""
        self._waiting = deque(items)
        self.claimed = len(self._waiting)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """See `Lease`."""
        alive = False
        try:
            async with self._database.transaction() as db:
                if await db.fetchrow(lanes.CHECK, self.kind, self.key, self.owner, self.fence) is None:
                    raise LeaseLost
                try:
                    yield db
                except _GONE:
                    alive = not db.is_closed()  # then the item's own doing: a bad argument, a slow statement
                    raise
        except _GONE as error:
            if alive:
                raise
            raise Unavailable("The database went away.") from error

    def ensure_fresh(self) -> None:
        """See `Lease`."""
        if self._lost or steady() > self.fresh_until - _FRESH_MARGIN_SECONDS:
            raise LeaseLost

    def defer(self, seconds: float) -> None:
        """See `Lease`."""
        self.hold = max(self.hold, seconds)
        self._closed = True

    def count(self, outcome: str) -> None:
        """See `Lease`."""
        self.outcomes[outcome] += 1
        metrics.ENDED.labels(*self.labels, outcome).inc()
        if outcome == "retrying":
            metrics.RETRIED.labels(*self.labels).inc()

    def cancel(self) -> None:
        """Stop at once: the lane was taken away or the process ends. Items are handed back if it is still ours."""
        self._closed = self._lost = True
        if self.task is not None:
            self.task.cancel()

    async def run(self) -> None:
        """Run all items, at most `parallel` at once; raises nothing but CancelledError."""
        if self.after is not None:
            await asyncio.wait([self.after])
        if self._source.parallel == 1:
            await self._work()
            return
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._source.parallel, self.claimed)):
                group.create_task(self._work())

    def end(self) -> None:
        """Add what never started to what is handed back. Also right for a task that was cancelled before it began."""
        self.back.extend((self.key, item) for item in self._waiting)
        metrics.FINISHED.labels(*self.labels).inc(self.claimed - len(self._waiting) - self._interrupted)

    async def _work(self) -> None:
        with _Watch(self._source.item_seconds_max) as watch:
            while self._waiting and not self._closed:
                watch.item_started()
                await self._one(self._waiting.popleft(), watch)

    async def _one(self, item: Any, watch: "_Watch") -> None:
        try:
            result = await self._source.run(self, item)
        except (LeaseLost, Unavailable):
            # Nothing wrong with the item: it is handed out again, here or elsewhere.
            self._interrupt(item)
            self.defer(1.0)
        except asyncio.CancelledError:
            if watch.was_it():
                self._unforeseen(item, TimeoutError(f"took longer than {self._source.item_seconds_max} s"))
                return
            self._interrupt(item)
            raise
        except Exception as error:  # noqa: BLE001 - whatever a source raises must end here, not the loop
            self._unforeseen(item, error)
        else:
            if result is not None:
                self.done.append(Done(self.key, item, result, None))

    def _interrupt(self, item: Any) -> None:
        self._interrupted += 1
        self.back.append((self.key, item))

    def _unforeseen(self, item: Any, error: Exception) -> None:
        metrics.ERRORS.labels(*self.labels).inc()
        _log.error("item.failed_unforeseen", source=self.kind, lane=str(self.key), exc_info=error)
        self.done.append(Done(self.key, item, None, error))
        self.hold = max(self.hold, ERROR_PAUSE_SECONDS)


class _Watch:
    """Cancels the present task when one item takes too long.

    One timer per turn: `asyncio.timeout` for each item cost a third of the throughput of small items.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._fired = False
        self._started = self._loop.time()
        self._timer = self._loop.call_later(seconds, self._look)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def item_started(self) -> None:
        self._started = self._loop.time()

    def was_it(self) -> bool:
        """Whether a CancelledError just caught was ours alone; then it is taken back."""
        fired, self._fired = self._fired, False
        if not fired or self._task is None:
            return False
        self._timer = self._loop.call_later(self._seconds, self._look)
        return self._task.uncancel() == 0

    def _look(self) -> None:
        left = self._started + self._seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        elif self._task is not None:
            self._fired = True
            self._task.cancel()
