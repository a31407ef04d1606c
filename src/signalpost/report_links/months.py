"""The months of a report: which can be chosen, their days, and when the mail about one is due. Pure."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from signalpost.report_links.schemas import MONTHS

MAILED_ON_DAY: Final = 2
"""Of the month after: the numbers of its last posts are a day old."""
MAILED_AT: Final = time(8)


def choices(today: date, earliest: date) -> list[str]:
    """Return the months that can be chosen, the present one first: `2026-11`. `earliest`: no day before is shown."""
    months, first = [], today.replace(day=1)
    for _ in range(MONTHS):
        months.append(f"{first:%Y-%m}")
        if first <= earliest:
            break
        first = (first - timedelta(days=1)).replace(day=1)
    return months


def default(months: Sequence[str]) -> str:
    """Return the last month that is over, if it can be chosen."""
    return months[min(1, len(months) - 1)]


def days_of(month: str) -> tuple[date, date]:
    """Return the first and the last day of a month."""
    first = date.fromisoformat(f"{month}-01")
    return first, _next(first) - timedelta(days=1)


def before(today: date) -> str:
    """Return the month that was over when this one began."""
    return f"{today.replace(day=1) - timedelta(days=1):%Y-%m}"


def next_mail(now: datetime, zone: str) -> datetime:
    """Return when the next mail is due after `now`: in the morning of the second day of a month, in this zone."""
    here = ZoneInfo(zone)
    first = now.astimezone(here).date().replace(day=1)
    due = _due(first, here)
    return due if due > now else _due(_next(first), here)


def _due(first: date, here: ZoneInfo) -> datetime:
    return datetime.combine(first.replace(day=MAILED_ON_DAY), MAILED_AT, here).astimezone(UTC)


def _next(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)
