"""When posts usually do best, for accounts without a history. Pure.

Rules of thumb, as guides to the networks commonly name them; nobody measured them for your readers. Numbers of your own
posts replace them little by little.
"""

from collections.abc import Mapping, Sequence
from typing import Final

HOURS: Final = 24
DAYS: Final = 7
_WEEKDAY: Final = (9, 12, 17, 20, 11, 15, 19, 8)
_WEEKEND: Final = (11, 14, 18, 20, 10, 16, 12, 21)
_OF_NETWORK: Final[Mapping[str, tuple[Sequence[int], Sequence[int]]]] = {
    "instagram": ((11, 18, 12, 20, 9, 14, 19, 16), _WEEKEND),
    "linkedin": ((9, 12, 10, 17, 8, 11, 15, 14), (10, 11, 12, 9, 14, 16, 15, 18)),
    "pinterest": ((20, 21, 14, 19, 12, 15, 22, 17), (20, 21, 11, 15, 19, 12, 14, 22)),
    "tiktok": ((18, 20, 15, 12, 19, 21, 17, 9), (11, 19, 16, 20, 12, 14, 18, 21)),
    "x": ((9, 12, 17, 8, 10, 13, 18, 20), _WEEKEND),
    "youtube": ((15, 17, 12, 16, 18, 14, 20, 19), (10, 15, 11, 17, 9, 12, 16, 20)),
}
"""Hours of working days and of weekends, best first; of all other networks, those above."""
_STEP: Final = 0.06
_AWAKE, _ASLEEP = 0.3, 0.05
"""The score of hours that are not listed, from 8 to 22, and at night."""

Grid = tuple[tuple[float, ...], ...]
"""A score from 0 to 1 by day of the week (0 is Monday) and hour."""


def grid(platform: str | None) -> Grid:
    """Return the table of a network; of none in particular, the general one."""
    weekday, weekend = _OF_NETWORK.get(platform or "", (_WEEKDAY, _WEEKEND))
    return tuple([_day(weekend if day >= 5 else weekday) for day in range(DAYS)])


def _day(hours: Sequence[int]) -> tuple[float, ...]:
    ranks = {hour: rank for rank, hour in enumerate(hours)}
    others = [_AWAKE if 8 <= hour < 22 else _ASLEEP for hour in range(HOURS)]
    return tuple([round(1 - _STEP * ranks[hour], 2) if hour in ranks else others[hour] for hour in range(HOURS)])
