"""Periodic work over all tenants, one bounded transaction after the other: each takes the next of them, in turns.

A run looks at a page of keys (workspaces, accounts) after a cursor and gives each an equal share of the rows that one
transaction may work on. Keys that have more wait for further turns, while the cursor moves on: no backlog of one tenant
holds up another, and what a transaction does depends neither on how many tenants there are nor on how far behind it is.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Generic, TypeAlias, TypeVar
from uuid import UUID

from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit.db import Db

Position = TypeVar("Position")
Keys: TypeAlias = Callable[[Db, UUID | None, int], Awaitable[Sequence[UUID]]]
"""Return the next keys after this one, in their order, at most so many."""
Work: TypeAlias = Callable[[Db, Mapping[UUID, Position | None], int], Awaitable[Mapping[UUID, Position]]]
"""Work on at most so many rows of each of these keys, from its position on (None: from the beginning); return those
that have more, each with the position to go on from."""

AT_ONCE: Final = 20
"""How many keys with more to do share a transaction."""
STEPS: Final = 20
"""Transactions in a row before the worker looks at other jobs."""


class Turns(Generic[Position]):
    """The turns of one kind of work in one process. What it remembers may be lost: a turn then begins again."""

    def __init__(self, keys: Keys, work: Work[Position], *, page: int, rows: int) -> None:
        self._keys = keys
        self._work = work
        self._page = page
        self._rows = rows
        self._after: UUID | None = None
        self._at_end = False
        self._is_turn_of_waiting = False
        self._waiting: dict[UUID, Position] = {}

    async def run(self, lease: Lease) -> RunAgain | None:
        """Do some steps; None: everybody had what there was."""
        for _ in range(STEPS):
            if not await self.step(lease):
                return None
        return RunAgain(0)

    async def step(self, lease: Lease) -> bool:
        """Do what one transaction may; return whether there is more. A step that fails is repeated by the next call."""
        async with lease.transaction() as db:
            chosen: dict[UUID, Position | None]
            page: Sequence[UUID] | None = None
            if self._waiting and (self._at_end or self._is_turn_of_waiting):
                chosen = {key: self._waiting[key] for key in list(self._waiting)[:AT_ONCE]}
            else:
                page = await self._keys(db, self._after, self._page)
                chosen = {key: None for key in page if key not in self._waiting}
            left = await self._work(db, chosen, max(1, self._rows // len(chosen))) if chosen else {}
        for key in chosen:
            self._waiting.pop(key, None)
        self._waiting.update(left)
        if page is not None:
            self._at_end = len(page) < self._page
            self._after = page[-1] if page else self._after
        self._is_turn_of_waiting = page is not None
        if self._at_end and not self._waiting:
            self._after, self._at_end = None, False
            return False
        return True
