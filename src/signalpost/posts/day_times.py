"""At which times of which days of the week posts are spread. Pure."""

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from signalpost.scheduling.week import ALL_DAYS, WeeklySlot

_DAY_BEGINS, _DAY_ENDS = 8 * 60, 22 * 60
"""Extra times lie between these, or beyond them as far as the times of the day do."""


def weekly_slots(times: Sequence[str], per_day: int, skip_days: Collection[int]) -> list[WeeklySlot]:
    """Return these times, and extra ones if a day has more posts than times."""
    days = [day for day in ALL_DAYS if day not in skip_days]
    return [WeeklySlot(time, days) for time in spread(times, per_day)]


def best_slots(hours: Sequence[Sequence[int]], per_day: int, skip_days: Collection[int]) -> list[WeeklySlot]:
    """Return as many of the best hours of each day as it has posts; `hours`: those of each day, best first."""
    return [
        WeeklySlot(f"{hour:02}:00", [day])
        for day in ALL_DAYS
        if day not in skip_days
        for hour in sorted(hours[day][:per_day])
    ]


def spread(times: Iterable[str], count: int) -> list[str]:
    """Return the times in their order; if they are fewer than `count`, with more in the middle of the widest gaps.

    Gaps of less than two minutes stay as they are.
    """
    minutes = sorted({int(time[:2]) * 60 + int(time[3:]) for time in times})
    while len(minutes) < count:
        edges = [min(_DAY_BEGINS, minutes[0]), *minutes, max(_DAY_ENDS, minutes[-1])]
        wide = max(((later - earlier, -earlier) for earlier, later in pairwise(edges)), default=(0, 0))
        width, earlier = wide[0], -wide[1]
        if width < 2:
            break
        minutes = sorted({*minutes, earlier + width // 2})
    return [f"{minute // 60:02}:{minute % 60:02}" for minute in minutes]
