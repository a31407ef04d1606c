"""Emit calls each subscriber inside the transaction of the change: either all of it is committed or nothing."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from signalpost.events.vocabulary import Event
from signalpost.kit.db import Db

E = TypeVar("E", bound=Event)
Subscriber = Callable[[Db, E], Awaitable[None]]

_subscribers: dict[type[Event], list[Callable[[Db, Any], Awaitable[None]]]] = {}


def subscribe(kind: type[E], subscriber: Subscriber[E]) -> None:
    """Have `subscriber(db, event)` called for this kind of event; `main` fills this once. Twice the same: once."""
    found = _subscribers.setdefault(kind, [])
    if subscriber not in found:
        found.append(subscriber)


async def emit(db: Db, event: Event) -> None:
    """Tell every subscriber, in order. They write rows only; what one raises undoes the whole change."""
    for subscriber in _subscribers.get(type(event), ()):
        await subscriber(db, event)
