"""The states of an invitation: what moves it, and which state it has at a moment. No I/O."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

State = Literal["pending", "opened", "partially_connected", "completed", "expired", "revoked"]
OPEN: frozenset[State] = frozenset({"pending", "opened", "partially_connected"})

MOVES: Mapping[State, frozenset[State]] = {
    "pending": frozenset({"opened", "partially_connected", "completed", "expired", "revoked"}),
    "opened": frozenset({"partially_connected", "completed", "expired", "revoked"}),
    "partially_connected": frozenset({"completed", "expired", "revoked"}),
    "completed": frozenset(),
    "expired": frozenset(),
    "revoked": frozenset(),
}


def present(stored: State, now: datetime, expires_at: datetime, *, profile_deleted: bool) -> State:
    """Return the state: it expires by time, and without its profile it is revoked; neither is written down."""
    if stored in OPEN and profile_deleted:
        return "revoked"
    return "expired" if stored in OPEN and expires_at <= now else stored


def after_connection(connections: int, connections_max: int) -> State:
    """Return the state of an open invitation by which so many accounts were connected."""
    return "completed" if connections >= connections_max else "partially_connected"
