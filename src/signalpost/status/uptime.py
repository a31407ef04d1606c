"""Uptime from minutes by status. Pure."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

from signalpost.kit import ids
from signalpost.status.queries import DayRow, IncidentRow
from signalpost.status.schemas import UptimeDay
from signalpost.status.states import COMPONENT_STATUSES, DOWN_SHARE, ComponentStatus

SECONDS: Final = 60
DAY_MINUTES: Final = 1_440
_NONE: Final = (0,) * len(COMPONENT_STATUSES)


def down_minutes(minutes: Sequence[int]) -> float:
    """Return how many minutes count as down."""
    return sum(count * share for count, share in zip(minutes, DOWN_SHARE, strict=True))


def percent(minutes: Sequence[int]) -> float | None:
    """Return the uptime in minutes by status, rounded down to two decimals so that 100 means no downtime at all."""
    total = sum(minutes)
    return None if total == 0 else int((1 - down_minutes(minutes) / total) * 10_000 + 1e-6) / 100


def together(rows: Iterable[DayRow]) -> list[int]:
    """Return the minutes of some days by status."""
    return [sum(counts) for counts in zip(_NONE, *(row.minutes for row in rows), strict=True)]


def worst_of(minutes: Sequence[int]) -> ComponentStatus | None:
    """Return the worst status of a day; None without data."""
    return next((status for status, count in reversed([*zip(COMPONENT_STATUSES, minutes, strict=True)]) if count), None)


def calendar(
    rows: Sequence[DayRow], incidents: Sequence[IncidentRow], *, component_id: UUID, today: date, length: int
) -> list[UptimeDay]:
    """Return the last `length` days, oldest first, with the incidents that concerned the component."""
    by_day = {row.day: row for row in rows}
    concerned = [row for row in incidents if not row.component_ids or component_id in row.component_ids]
    return [
        _day(day, by_day.get(day), [row.id for row in concerned if is_on(row, day)])
        for day in (today - timedelta(days=ago) for ago in reversed(range(length)))
    ]


def is_on(incident: IncidentRow, day: date) -> bool:
    """Whether an incident was active on this day, in UTC."""
    return incident.started_at.date() <= day and (incident.ended_at is None or day <= incident.ended_at.date())


def _day(day: date, row: DayRow | None, incident_ids: Sequence[UUID]) -> UptimeDay:
    return UptimeDay(
        date=day.isoformat(),
        uptime_percent=None if row is None else percent(row.minutes),
        downtime_seconds=0 if row is None else round(down_minutes(row.minutes) * SECONDS),
        worst_status=None if row is None else worst_of(row.minutes),
        incident_ids=[ids.encode("inc", incident_id) for incident_id in incident_ids],
    )


def within(start: datetime, end: datetime, day_start: datetime, day_end: datetime) -> int:
    """Return how many minutes of a day lie between two instants."""
    seconds = (min(end, day_end) - max(start, day_start)).total_seconds()
    return max(0, round(seconds / SECONDS))


def together_within(spans: Iterable[tuple[datetime, datetime]], day_start: datetime, day_end: datetime) -> int:
    """Return how many minutes of a day at least one of these spans covers: what overlaps counts once."""
    minutes, reached = 0, day_start
    for start, end in sorted(spans):
        minutes += within(max(start, reached), end, day_start, day_end)
        reached = max(reached, end)
    return minutes
