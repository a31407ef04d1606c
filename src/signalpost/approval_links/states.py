"""What a link is: it expires by time, which is not written down."""

from datetime import datetime
from typing import Literal

State = Literal["open", "expired", "revoked"]


def present(now: datetime, expires_at: datetime, revoked_at: datetime | None) -> State:
    """Return what a link is now."""
    if revoked_at is not None:
        return "revoked"
    return "expired" if expires_at <= now else "open"
