"""What a source of work implements and what the engine hands it. Everything else in this room is machinery.

A *lane* is a row (kind, key): all items of one account, endpoint or queue. One worker at a time holds a lane, for one
*turn*: claim up to `per_lane` due items, run them, settle them, release. A turn lasts as long as its slowest item.

What a source may rely on:
- Two turns of one lane never write at once: every write goes through a transaction that checks the lease.
- An item that was handed out and not settled (crash, lost lease) is handed out again, at once. It must therefore leave
  a committed trace before anything that cannot be repeated.
- Whatever is still due when the lane is released is handed out again. A source ends an item by changing its row.
- Nothing it raises stops the loop or other items; the lane is then kept back for `ERROR_PAUSE_SECONDS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db

Item = TypeVar("Item")
Result = TypeVar("Result")

LEASE_SECONDS = 30
ERROR_PAUSE_SECONDS = 5.0
"""How long a lane waits after an exception nobody foresaw: long enough not to spin, short enough to heal by itself."""


class LeaseLost(Exception):
    """The lane is no longer ours: another worker may run its items. Write nothing, stop; the engine needs no answer."""


class Done(Struct, Generic[Item, Result], frozen=True):
    """An item that ran to its end: with what `run` returned, or with the exception it raised."""

    key: UUID
    item: Item
    result: Result | None
    error: Exception | None


class Lease(Protocol):
    """The right to work on one lane, during one turn. Shared by the items of the turn."""

    kind: str
    key: UUID
    workspace_id: UUID | None
    platform: str | None
    owner: UUID
    """The worker that holds the lane: goes into attempt rows as their fence."""

    def transaction(self) -> AbstractAsyncContextManager[Db]:
        """Open a transaction that holds the lane row locked as ours; commits at the end, rolls back on any exception.

        Keep it short: it blocks waking this lane. No network calls inside. Do not wake the own lane in it (the release
        looks at the items anyway). It is ended by the server when it idles for 15 s.

        Raises:
            LeaseLost: the lane is not ours any more, on entering.
            signalpost.kit.problems.Unavailable: no connection; the item is handed out again later.
        """
        ...

    def ensure_fresh(self) -> None:
        """Check, without the database, that the lease cannot have run out. Call it right before what cannot be undone.

        Raises:
            LeaseLost: it may have (this process was paused, or cannot reach the database).
        """
        ...

    def defer(self, seconds: float) -> None:
        """Keep this lane back for so long (429, Retry-After); items of this turn not yet started are handed back."""
        ...

    def count(self, outcome: str) -> None:
        """Count an ending under a short fixed word (`published`, `failed`, `retrying`) in metrics and tick reports."""
        ...


class Source(ABC, Generic[Item, Result]):
    """A table whose rows are work, and what to do with one. One instance per process; keep no state of items in it.

    The class attributes name SQL; they are trusted constants, never input.
    """

    kind: str
    """Value of `lane.kind`; one word."""
    table: str
    key_column: str
    """The column of `table` that holds the lane key; `table` needs a partial index on (key_column, due_column)."""
    due_column: str = "next_attempt_at"
    open_condition: str = "true"
    """More that makes a row with a due time real work, as SQL over `table`'s columns: `held_reason is null`."""

    per_lane: int = 1
    """Most items of a lane per turn."""
    parallel: int = 1
    """Items of one lane at once; 1 = strictly one after the other. With parallel = per_lane, claimed means started."""
    lanes: int = 64
    """Most lanes this process holds at once. Each source has its own, so a slow one cannot take another's."""
    lanes_per_workspace: int = 16
    """Of those, most for one workspace."""
    item_seconds_max: float = 300.0
    """After so long `run` is cancelled and the item ends with TimeoutError."""
    pauses_on_clock_step: bool = True
    """Whether a step of the database clock stops this source until the clock is trusted again."""

    @abstractmethod
    async def due(self, db: Db, keys: Sequence[UUID], per_lane: int) -> Sequence[tuple[UUID, Item]]:
        """Return up to `per_lane` items of each lane that are due by the database's `now()`, in the order to run them.

        Runs inside the claim's transaction, committed before any item starts: it may mark rows (count an attempt).
        The same conditions as in `table`, `due_column` and `open_condition` must hold, or lanes spin.
        """

    @abstractmethod
    async def run(self, lease: Lease, item: Item) -> Result | None:
        """Do the work. No transaction is open.

        Either write the ending yourself through `lease.transaction()` and return None, or return a result for
        `settle`, which is far cheaper for small items but happens only at the end of the turn.
        """

    async def settle(self, db: Db, done: Sequence[Done[Item, Result]]) -> None:
        """Write the ends of many items, of many lanes, in few statements; only of items with a result or an error.

        Runs inside the release's transaction, lanes locked as ours. If it raises, it is run again for one item at a
        time, so that one bad row does not fail the others. `error` is an exception that `run` did not foresee: change
        the row so that it does not come again for ever.
        """

    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, Item]]) -> None:
        """Undo what `due` marked for items that were not run to their end (stop, `defer`, no token of a bucket).

        Runs inside the release's transaction. After a crash it is not called.
        """

    def bucket(self, item: Item) -> str | None:  # noqa: ARG002 - for those that override it
        """Return the key of the rate bucket (`<platform>:<app>`) of which `item` needs one token, if any.

        Tokens are taken for the whole batch when it is claimed; an item that gets none is handed back, and its lane
        waits until the bucket has some.
        """
        return None


class TickReport(Struct, frozen=True):
    """What one bounded tick did. Counts by source kind."""

    claimed: dict[str, int]
    outcomes: dict[str, dict[str, int]]
    """By kind, then by the words of `Lease.count`."""
    remaining: int
    """Items still due, at most 10,000."""
    oldest_due_age_seconds: float
    duration_seconds: float


class SourceBacklog(Struct, frozen=True):
    """What is due and not yet done."""

    ready_lanes: int
    """Lanes that somebody could take now."""
    overdue: int
    """Items due more than a minute ago that nothing holds back (a rate limit does), at most 10,000."""
    oldest_due_age_seconds: float


class EngineStatus(Struct, frozen=True):
    """For /healthz and the operator. `running` looks at all workers of the database, not only this process."""

    running: bool
    workers: int
    last_loop_at: datetime | None
    overdue: int
    sources: dict[str, SourceBacklog]
    clock_problem: str | None
    """Set while publishing is paused because the database clock made a step; a sentence for a person."""
