"""The clock: aware UTC instants only, their wire form, and the simulated time of requests with a test key."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

import msgspec

# A tenth of the time of isoformat(timespec=…); a page of posts contains hundreds of instants.
_to_text = msgspec.to_builtins
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_fixed: ContextVar[datetime | None] = ContextVar("fixed_now", default=None)


APART_SECONDS = 2.0
"""Up to this far, the clock of this machine is taken for that of the database."""
FOLLOW_SECONDS = 5.0
"""How often a process whose machine has another time reads the clock of the database again."""
_apart = timedelta()  # the database's clock minus that of this machine, if they are clearly apart
_followed_at = 0.0  # by monotonic()


def now() -> datetime:
    """Return the current instant in UTC by the clock of the database; inside `at()`, the instant passed to it."""
    if (fixed := _fixed.get()) is not None:
        return fixed
    return datetime.now(UTC) + _apart if _apart else datetime.now(UTC)


def actual() -> datetime:
    """Return the current instant, also inside `at()`: for what no simulated time may decide, such as an expiry."""
    return datetime.now(UTC) + _apart


def timestamp() -> float:
    """Return `actual()` as seconds since 1970, in a third of its time."""
    return time.time() + _apart.total_seconds()


def is_simulated() -> bool:
    """Whether `now()` returns an instant that was passed to `at()`."""
    return _fixed.get() is not None


def follow(database: datetime, *, within_seconds: float = 0.0) -> float:
    """Follow the clock of the database, by which everything is due, if that of this machine is wrong.

    Args:
        database: a reading of it, received just now.
        within_seconds: how long ago it may have been made.

    Returns:
        How many seconds the database is ahead of this machine; 0 if nobody would notice.
    """
    global _apart, _followed_at
    least = (database - datetime.now(UTC)).total_seconds()
    most = least + within_seconds
    ahead = least if least > APART_SECONDS else most if most < -APART_SECONDS else 0.0
    _apart, _followed_at = timedelta(seconds=ahead), time.monotonic()
    return ahead


def must_follow() -> bool:
    """Whether this machine had another time than the database when it was read last, some seconds ago."""
    return bool(_apart) and time.monotonic() - _followed_at > FOLLOW_SECONDS


@contextmanager
def at(instant: datetime) -> Iterator[None]:
    """Make `now()` return `instant` in the current task and what it awaits."""
    token = _fixed.set(instant)
    try:
        yield
    finally:
        _fixed.reset(token)


def wire(instant: datetime) -> str:
    """Return RFC 3339 in UTC with milliseconds: `2026-11-21T18:00:00.000Z`."""
    if instant.tzinfo is not UTC:
        instant = instant.astimezone(UTC)
    text: str = _to_text(instant)  # with six digits after the second, or none
    return f"{text[:23]}Z" if len(text) == 27 else f"{text[:19]}.000Z"


def wire_or_none(instant: datetime | None) -> str | None:
    """Return `wire(instant)`, or None for None."""
    return None if instant is None else wire(instant)


def to_micros(instant: datetime) -> int:
    """Return the microseconds since 1970."""
    return (instant - _EPOCH) // _MICROSECOND


def now_micros() -> int:
    """Return `to_micros(now())`."""
    fixed = _fixed.get()
    return time.time_ns() // 1_000 + _apart // _MICROSECOND if fixed is None else to_micros(fixed)


def from_micros(micros: int) -> datetime:
    """Return the instant so many microseconds after 1970."""
    return _EPOCH + _MICROSECOND * micros


@lru_cache(maxsize=2_048)
def wire_of_micros(micros: int) -> str:
    """Return `wire(from_micros(micros))`. The instants of a post are mostly the same ones."""
    return wire(from_micros(micros))


def monotonic() -> float:
    """Return seconds that never go back; only differences are meaningful."""
    return time.monotonic()


def resolve_local(naive: datetime, where: tzinfo) -> tuple[datetime, str | None]:
    """Convert the local time of a zone to an instant.

    Returns:
        The UTC instant, and `"gap"` (the local time does not exist that day: moved forward by the length of the gap),
        `"overlap"` (it exists twice: the first one is used) or None.
    """
    first = naive.replace(tzinfo=where, fold=0)
    second = naive.replace(tzinfo=where, fold=1)
    instant = first.astimezone(UTC)
    if first.utcoffset() == second.utcoffset():
        return instant, None
    if instant.astimezone(where).replace(tzinfo=None) == naive:
        return instant, "overlap"
    return instant, "gap"


def seconds(count: float) -> timedelta:
    """Return `count` seconds as a timedelta."""
    return timedelta(seconds=count)
