"""When the numbers of a post are asked for: often while it is young, and for a year. Pure."""

from datetime import datetime, timedelta
from typing import Final

_FIRST: Final = (timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
DAILY_UNTIL: Final = timedelta(days=30)
WEEKLY_UNTIL: Final = timedelta(days=365)


def next_due(published_at: datetime, after: datetime) -> datetime | None:
    """Return the first moment of the schedule after this one; None: it is over.

    After 1, 6 and 24 hours, then daily up to 30 days, then weekly up to a year. What was missed is not made up for.
    """
    age = after - published_at
    for offset in _FIRST:
        if age < offset:
            return published_at + offset
    if age < DAILY_UNTIL:
        return published_at + (age // timedelta(days=1) + 1) * timedelta(days=1)
    weeks = (age - DAILY_UNTIL) // timedelta(days=7) + 1
    offset = DAILY_UNTIL + weeks * timedelta(days=7)
    return published_at + offset if offset <= WEEKLY_UNTIL else None
