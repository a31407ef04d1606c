"""The states of an account: which moves are allowed, and which state the age of a token implies. No I/O."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

State = Literal["active", "expiring", "needs_reauth", "restricted", "paused", "disconnected"]

MOVES: Mapping[State, frozenset[State]] = {
    "active": frozenset({"expiring", "needs_reauth", "restricted", "paused", "disconnected"}),
    "expiring": frozenset({"active", "needs_reauth", "restricted", "paused", "disconnected"}),
    "needs_reauth": frozenset({"active", "expiring", "disconnected"}),
    "restricted": frozenset({"active", "expiring", "needs_reauth", "disconnected"}),
    "paused": frozenset({"active", "expiring", "needs_reauth", "disconnected"}),
    "disconnected": frozenset({"active", "expiring", "needs_reauth"}),  # connected again, with whatever token
}

READY: frozenset[State] = frozenset({"active", "expiring"})
"""States in which an account publishes."""

EXPIRING = timedelta(days=7)
RENEW_AT = 0.8
JITTER = 0.05
"""Renewals are due at 75 to 80 % of a token's life, so that they neither come all at once nor too late."""


def from_states(to: State) -> list[State]:
    """Return the states from which an account may move to `to`."""
    return [state for state, targets in MOVES.items() if to in targets]


def state_of_token(now: datetime, expires_at: datetime | None, *, refreshable: bool) -> State:
    """Return the state of an account whose token works and expires then: active, expiring or needs_reauth."""
    if expires_at is None or refreshable:
        return "active"
    if expires_at <= now:
        return "needs_reauth"
    return "expiring" if expires_at - now <= EXPIRING else "active"


def upkeep_at(now: datetime, expires_at: datetime | None, *, refreshable: bool, chance: float) -> datetime | None:
    """Return when the token needs attention next, or None for never. `chance`: a new random number from 0 to 1."""
    if expires_at is None:
        return None
    if refreshable:
        return now + max(expires_at - now, timedelta(0)) * (RENEW_AT - JITTER * chance)
    if expires_at <= now:
        return None
    return expires_at - EXPIRING if expires_at - EXPIRING > now else expires_at


def retry_seconds(now: datetime, expires_at: datetime | None) -> float:
    """Return how long to wait after a failed renewal: a tenth of the remaining life, 1 minute to 1 hour."""
    if expires_at is None or expires_at <= now:
        return 900.0
    return min(max((expires_at - now).total_seconds() / 10, 60.0), 3600.0)
