"""From the weekly wall times of a queue to the instants that they mean. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from msgspec import Struct

from signalpost.kit import clock

ALL_DAYS = (0, 1, 2, 3, 4, 5, 6)


class WeeklySlot(Struct, frozen=True):
    """A wall time, `HH:MM`, on days of the week (0 is Monday), as it is stored."""

    time: str
    days: list[int]


class SlotTime(NamedTuple):
    """An occurrence of a slot. `shift`: as `resolve_local` returns it."""

    at: datetime
    local: datetime
    shift: str | None


def parse_time(text: str) -> time:
    """Return the time of day of `HH:MM`."""
    return time(int(text[:2]), int(text[3:]))


def occurrences(slots: Sequence[WeeklySlot], zone: tzinfo, after: datetime, until: datetime) -> Iterator[SlotTime]:
    """Yield the occurrences after one instant and up to another, in their order; of those at one instant, the first.

    Where the clocks are put forward, two wall times can be the same instant, and later ones can come before it.
    """
    by_day = [sorted(parse_time(slot.time) for slot in slots if day in slot.days) for day in ALL_DAYS]
    if not any(by_day):
        return
    day = after.astimezone(zone).date() - timedelta(days=1)
    last = after
    while True:
        of_day = sorted(_on(day, by_day[day.weekday()], zone), key=lambda slot: (slot.at, slot.shift is not None))
        for slot in of_day:
            if slot.at > until:
                return
            if slot.at > last:
                last = slot.at
                yield slot
        day += timedelta(days=1)
        if datetime.combine(day, time(), UTC) > until + timedelta(days=2):
            return


def _on(day: date, times: Sequence[time], zone: tzinfo) -> Iterator[SlotTime]:
    for time_of_day in dict.fromkeys(times):
        local = datetime.combine(day, time_of_day)
        at, shift = clock.resolve_local(local, zone)
        yield SlotTime(at, local, shift)
