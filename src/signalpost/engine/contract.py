"""What a source of work implements, and what the engine gives it. Everything else in this room is machinery.

A *lane* is a row (kind, key): all items of one account, endpoint or queue. One worker at a time has the *lease* of a
lane: it claims up to `per_lane` due items, runs them, settles them and releases the lane. The lease lasts as long as
the slowest of these items.

What a source may rely on:
- Two leases of one lane never write at the same time: every write goes through a transaction that checks the lease.
- An item that was handed out and not settled (crash, lost lease) is handed out again at once. It must therefore commit
  a trace before it does anything that cannot be undone.
- Whatever is still due when the lane is released is handed out again. A source ends an item by changing its row.
- An exception stops neither the loop nor other items; the lane is then paused for `ERROR_PAUSE_SECONDS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from msgspec import Struct

from signalpost.engine.position import Position
from signalpost.kit.db import Db

Item = TypeVar("Item")
Result = TypeVar("Result")

LEASE_SECONDS = 30
ERROR_PAUSE_SECONDS = 5.0
"""How long a lane is paused after an unexpected exception: long enough not to spin, short enough to recover alone."""


class LeaseLost(Exception):
    """The lane is no longer ours: another worker may be running its items. Write nothing and stop."""


class Done(Struct, Generic[Item, Result], frozen=True):
    """An item that ran to its end, with what `run` returned or with the exception it raised."""

    key: UUID
    item: Item
    result: Result | None
    error: Exception | None


class Lease(Protocol):
    """The right to work on one lane, shared by the items that were claimed with it."""

    kind: str
    key: UUID
    workspace_id: UUID | None
    tenant_id: UUID | None
    """The owner of the workspace, as of the claim."""
    platform: str | None
    owner: UUID
    """The worker that holds the lane; attempt rows store it as their fence."""
    fence: int
    """Raised by every claim of the lane: tells this lease from an earlier one of the same worker."""
    position: Position
    """Has to note what is committed for an item, other than by `transaction`, before something is sent."""

    def transaction(self) -> AbstractAsyncContextManager[Db]:
        """Open a transaction that holds the lane row locked as ours; commits at the end, rolls back on any exception.

        Keep it short, since it blocks waking this lane, and make no network calls inside. Do not wake the same lane in
        it (the release looks at the items anyway). The server ends the transaction when it is idle for 15 s.

        Raises:
            LeaseLost: the lane is no longer ours, on entering.
            signalpost.kit.problems.Unavailable: no connection; the item is handed out again later.
        """
        ...

    def ensure_fresh(self) -> None:
        """Check, without the database, that the lease cannot have expired. Call it right before what cannot be undone.

        Raises:
            LeaseLost: it may have expired (this process was paused, or cannot reach the database).
        """
        ...

    def while_fresh(self) -> AbstractAsyncContextManager[None]:
        """Do what cannot be undone, and stop doing it, by cancellation, before the lease can have expired.

        As long as the lease is renewed, the block may take its time.

        Raises:
            LeaseLost: the lease may have expired before the block, or would have during it.
        """
        ...

    def pause_lane(self, seconds: float) -> None:
        """Keep the lane back for this long (429, Retry-After); claimed items not yet started are handed back."""
        ...

    def count(self, outcome: str) -> None:
        """Count an outcome under a short fixed word (`published`, `failed`, `retrying`) in metrics and tick reports."""
        ...


class Source(ABC, Generic[Item, Result]):
    """A table whose rows are work, and what to do with one row. One instance per process, without state of items.

    The class attributes become parts of SQL statements; they are constants, never input.
    """

    kind: str
    """Value of `lane.kind`; one word."""
    table: str
    key_column: str
    """The column of `table` that holds the lane key; `table` needs a partial index on (key_column, due_column)."""
    due_column: str = "next_attempt_at"
    open_condition: str = "true"
    """A further condition for a due row to be work, as SQL over the columns of `table`: `held_reason is null`."""

    per_lane: int = 1
    """Maximum items per lease."""
    parallel: int = 1
    """Items of one lane at the same time; 1 = one after the other. If equal to `per_lane`, claimed means started."""
    lanes: int = 64
    """Maximum lanes this process holds at once. Each source has its own, so a slow one cannot take another's."""
    lanes_per_workspace: int = 16
    """Maximum of those for one workspace."""
    lanes_per_tenant: int = 256
    """Maximum of those for all workspaces of one owner, who in any case holds no more than are free."""
    item_seconds_max: float = 300.0
    """After this long `run` is cancelled and the item ends with TimeoutError."""
    pauses_on_clock_step: bool = True
    """Whether a step of the database clock stops this source until the clock is trusted again."""

    @abstractmethod
    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, Item]]:
        """Return up to `per_lane` items of each lane that are due by the database's `now()`, in the order to run them.

        Runs inside the claim's transaction, with the lanes locked, committed before any item starts: it may mark rows
        (count an attempt, begin it). Wait for no row lock (`skip locked`): every claimed lane would wait with it.
        Use the same conditions as `table`, `due_column` and `open_condition`; otherwise lanes spin. Items that need a
        token of a rate bucket: see `buckets.admit`.
        """

    @abstractmethod
    async def run(self, lease: Lease, item: Item) -> Result | None:
        """Do the work. No transaction is open.

        Either write the outcome yourself through `lease.transaction()` and return None, or return a result for
        `settle`, which is far cheaper for small items but runs only at the end of the lease.
        """

    async def settle(self, db: Db, done: Sequence[Done[Item, Result]]) -> Collection[UUID]:  # noqa: ARG002 - see above
        """Write the outcomes of many items of many lanes in few statements; only items with a result or an error come.

        Runs inside the release's transaction, with the lanes locked as ours. Wait for no row lock (`skip locked`):
        every lane of the release would wait with it. If it raises, it is called again for one item at a time, so that
        one bad row does not fail the others; if an outcome alone cannot be written either, it is called with that
        exception instead. `error` is such a one, or an unexpected exception of `run`: change the row so that the item
        is not handed out for ever.

        Returns:
            the lanes with an item whose rows another transaction holds locked. Nothing of these lanes may be written:
            they stay ours, and all their items come again a moment later.
        """
        return ()

    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, Item]]) -> None:
        """Undo what `due` marked, for items that did not run to their end (stop, `pause_lane`).

        Runs inside the release's transaction, after `settle`. After a crash it is not called.
        """


class TickReport(Struct, frozen=True):
    """What one bounded tick did; counts by kind of source."""

    claimed: dict[str, int]
    outcomes: dict[str, dict[str, int]]
    """By kind, then by the words passed to `Lease.count`."""
    remaining: int
    """Items still due, at most 10,000."""
    oldest_due_age_seconds: float
    duration_seconds: float


class SourceBacklog(Struct, frozen=True):
    """What is due and not yet done, of one source."""

    ready_lanes: int
    """Lanes that a worker could claim now."""
    overdue: int
    """Items due more than a minute ago, at most 10,000. Not those whose lane is paused (by a rate limit, say), and of
    a lane that a worker holds only those due for longer than an item may take."""
    oldest_due_age_seconds: float


class EngineStatus(Struct, frozen=True):
    """For /healthz and the operator. `running` covers all workers of the database, not only this process."""

    running: bool
    workers: int
    last_loop_at: datetime | None
    overdue: int
    sources: dict[str, SourceBacklog]
    clock_problem: str | None
    """Set while publishing is paused because the database clock jumped; a sentence for a person."""
    hold: str | None = None
    """Set while nothing is done because the database came from a backup; a sentence for a person."""
