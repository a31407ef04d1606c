"""What a room gives to the process that runs it. Each declares it once, as `ROOM` in its `room.py`."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from signalpost.context import AppContext, Hooks
from signalpost.engine.contract import Source
from signalpost.engine.jobs import JobKind
from signalpost.kit.crypto import SealedColumn
from signalpost.kit.db import Db


async def _nothing(_context: AppContext) -> None:
    pass


def _no_subscriptions(_context: AppContext) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class Room:
    """Routes, jobs, answers and subscriptions of a room. What it leaves out, it has not."""

    name: str
    """The package, and the name by which SIGNALPOST_EXTENSIONS_OFF switches an extension off."""
    kind: Literal["core", "extension"] = "core"
    """Without its extensions the service still serves every operation of the specification."""
    tables: tuple[str, ...] = ()
    """The tables that it owns: it alone writes them, and others call its functions."""
    routes: Iterable[Any] = ()
    """Its operations, in the order of the reference (`web.routing.Endpoint`; rooms below `web` have none)."""
    jobs: tuple[Callable[[AppContext], Iterable[JobKind]], ...] = ()
    """What returns its jobs, periodic ones and those that actions enqueue."""
    sources: tuple[Callable[[AppContext], Source[Any, Any]], ...] = ()
    """What else the engine runs for it."""
    hooks: Hooks = field(default_factory=Hooks)
    """Its answers to questions of lower rooms; it leaves the others unanswered."""
    subscribe: Callable[[AppContext], None] = _no_subscriptions
    """Subscribes it to the events that it acts upon; rooms subscribe in the order of `main.wiring`."""
    sealed: tuple[SealedColumn, ...] = ()
    """What it stores for longer than a day and can be opened only with the master key."""
    prepare: Callable[[AppContext, Db], Awaitable[None]] | None = None
    """Writes rows that the engine needs for it, at every start of every process."""
    after_failover: Callable[[Db, datetime], Awaitable[int | None]] | None = None
    """Has looked up what the old primary's workers may have sent since a time, and may return how much that is."""
    end: Callable[[AppContext], Awaitable[None]] = _nothing
    """Ends what it runs in this process, before the database is closed."""
