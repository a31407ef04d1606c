"""The times of the week at which posts did best, as far as their numbers can tell. Pure.

The engagement of a post is compared with that of its own account, on a logarithmic scale, so that neither a large
account nor one viral post decides. The mean of an hour is drawn towards the table of usual times as if that were
`PRIOR_POSTS` posts; neighbours in time lend a part of theirs. Whether there is any pattern at all is tested: numbers
without one get the confidence `low`, however many they are.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import log, log1p, sqrt
from typing import Final, Literal, NamedTuple

SAMPLE_MIN: Final = 20
"""Fewer posts tell nothing."""
SAMPLE_HIGH: Final = 200
CELL_MEDIUM, CELL_HIGH = 5, 20
PRIOR_POSTS: Final = 3.0
PRIOR_SPREAD: Final = log(2)
"""In the table of usual times, the best hour gets twice the engagement of the worst."""
SAME_HOUR: Final = 0.08
"""How much a post tells about its hour on other days."""
NEXT_HOUR: Final = 0.3
"""How much it tells about the hours before and after it."""
SIGNIFICANT: Final = 2.13
"""Standard deviations: a pattern that chance shows in one of 60 cases, in one of 20 for three tests."""

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
"""Hours of working days and of weekends, best first; of all other networks, those above. Rules of thumb, as guides to
the networks commonly name them; nobody measured them for your readers."""
_STEP: Final = 0.06
_AWAKE, _ASLEEP = 0.3, 0.05
"""The score of hours that are not listed, from 8 to 22, and at night."""

Grid = tuple[tuple[float, ...], ...]
"""A score from 0 to 1 by day of the week (0 is Monday) and hour."""
Confidence = Literal["low", "medium", "high"]


class MeasuredPost(NamedTuple):
    """A post with the local time of its publication. `engagement`: likes, comments and shares; None: unknown."""

    account: object
    day: int
    hour: int
    engagement: int | None
    views: int | None


class TimeSlot(NamedTuple):
    """An hour of the week."""

    day: int
    hour: int
    score: float
    average: float | None
    posts: int
    confidence: Confidence


class BestTimes(NamedTuple):
    """All hours of the week, best first."""

    basis: Literal["history", "defaults"]
    sample_size: int
    confidence: Confidence
    slots: list[TimeSlot]


class _Effect(NamedTuple):
    """How much better than its account a post did, as a difference of logarithms."""

    day: int
    hour: int
    value: float


def rank(posts: Sequence[MeasuredPost], usual: Grid) -> BestTimes:
    """Return the hours of the week, best first, by these posts and the usual times."""
    effects = _effects(posts)
    if len(effects) < SAMPLE_MIN:
        return BestTimes("defaults", len(effects), "low", _slots(posts, usual, has_pattern=False))
    has_pattern = any(
        _deviation([effect.value for effect in effects], [key(effect) for effect in effects]) > SIGNIFICANT
        for key in _GROUPINGS
    )
    confidence: Confidence = "low"
    if has_pattern:
        confidence = "high" if len(effects) >= SAMPLE_HIGH else "medium"
    scores = _normalized(_estimates(effects, usual))
    return BestTimes("history", len(effects), confidence, _slots(posts, scores, has_pattern=has_pattern))


_GROUPINGS: Final[tuple[Callable[[_Effect], object], ...]] = (
    lambda effect: (effect.day, effect.hour),
    lambda effect: effect.hour,
    lambda effect: effect.day,
)


def _effects(posts: Sequence[MeasuredPost]) -> list[_Effect]:
    """Compare each post with the mean of its account, by engagement, or by views where that is unknown of most."""
    by_account: dict[object, list[MeasuredPost]] = defaultdict(list)
    for post in posts:
        by_account[post.account].append(post)
    effects = []
    for group in by_account.values():
        engaged = [(post, post.engagement) for post in group if post.engagement is not None]
        viewed = [(post, post.views) for post in group if post.views is not None]
        values = [(post, log1p(number)) for post, number in (engaged if 2 * len(engaged) >= len(viewed) else viewed)]
        if len(values) < 2:
            continue
        mean = sum(value for _, value in values) / len(values)
        effects += [_Effect(post.day, post.hour, value - mean) for post, value in values]
    return effects


def _estimates(effects: Sequence[_Effect], usual: Grid) -> list[list[float]]:
    weights = [[0.0] * HOURS for _ in range(DAYS)]
    sums = [[0.0] * HOURS for _ in range(DAYS)]
    for day, hour, value in effects:
        lent = [(day, hour, 1.0), (day, (hour - 1) % HOURS, NEXT_HOUR), (day, (hour + 1) % HOURS, NEXT_HOUR)]
        lent += [(other, hour, SAME_HOUR) for other in range(DAYS) if other != day]
        for to_day, to_hour, weight in lent:
            weights[to_day][to_hour] += weight
            sums[to_day][to_hour] += weight * value
    level = sum(map(sum, usual)) / (DAYS * HOURS)
    return [
        [
            (sums[day][hour] + PRIOR_POSTS * PRIOR_SPREAD * (usual[day][hour] - level))
            / (weights[day][hour] + PRIOR_POSTS)
            for hour in range(HOURS)
        ]
        for day in range(DAYS)
    ]


def _normalized(estimates: Sequence[Sequence[float]]) -> Grid:
    low, high = min(map(min, estimates)), max(map(max, estimates))
    return tuple([tuple([round((value - low) / (high - low or 1.0), 3) for value in row]) for row in estimates])


def _slots(posts: Sequence[MeasuredPost], scores: Grid, *, has_pattern: bool) -> list[TimeSlot]:
    numbers: dict[tuple[int, int], list[int | None]] = defaultdict(list)
    for post in posts:
        numbers[post.day, post.hour].append(post.engagement)
    slots = []
    for day in range(DAYS):
        for hour in range(HOURS):
            engagements = [number for number in numbers[day, hour] if number is not None]
            average = round(sum(engagements) / len(engagements), 2) if engagements else None
            count = len(numbers[day, hour])
            confidence: Confidence = "low"
            if has_pattern and count >= CELL_MEDIUM:
                confidence = "high" if count >= CELL_HIGH else "medium"
            slots.append(TimeSlot(day, hour, scores[day][hour], average, count, confidence))
    return sorted(slots, key=lambda slot: (-slot.score, slot.day, slot.hour))


def _deviation(values: Sequence[float], groups: Sequence[object]) -> float:
    """Return by how many standard deviations the groups differ more than chance lets them (analysis of variance).

    Paulson's approximation of the F distribution by the normal one.
    """
    by_group: dict[object, list[float]] = defaultdict(list)
    for value, group in zip(values, groups, strict=True):
        by_group[group].append(value)
    between_freedom, within_freedom = len(by_group) - 1, len(values) - len(by_group)
    if between_freedom < 1 or within_freedom < 3:
        return 0.0
    mean = sum(values) / len(values)
    means = {group: sum(members) / len(members) for group, members in by_group.items()}
    between = sum(len(members) * (means[group] - mean) ** 2 for group, members in by_group.items())
    within = sum((value - means[group]) ** 2 for group, members in by_group.items() for value in members)
    if between == 0.0:
        return 0.0
    ratio = (between / between_freedom) / max(within / within_freedom, 1e-12)
    root: float = ratio ** (1 / 3)
    first, second = 2 / (9 * between_freedom), 2 / (9 * within_freedom)
    return (root * (1 - second) - (1 - first)) / sqrt(root**2 * second + first)


def hours_by_day(slots: Sequence[TimeSlot]) -> list[list[int]]:
    """Return the hours of each day, best first; of the best third, those next to a better one come later."""
    by_day: list[list[int]] = [[] for _ in range(DAYS)]
    for slot in slots:
        by_day[slot.day].append(slot.hour)
    ordered = []
    for hours in by_day:
        apart: list[int] = []
        for hour in hours[: HOURS // 3]:
            if all(abs(hour - other) > 1 for other in apart):
                apart.append(hour)
        ordered.append(apart + [hour for hour in hours if hour not in apart])
    return ordered


def usual_grid(platform: str | None) -> Grid:
    """Return when posts usually do best on a network; on none in particular, the general table."""
    weekday, weekend = _OF_NETWORK.get(platform or "", (_WEEKDAY, _WEEKEND))
    return tuple([_day(weekend if day >= 5 else weekday) for day in range(DAYS)])


def _day(hours: Sequence[int]) -> tuple[float, ...]:
    ranks = {hour: rank for rank, hour in enumerate(hours)}
    others = [_AWAKE if 8 <= hour < 22 else _ASLEEP for hour in range(HOURS)]
    return tuple([round(1 - _STEP * ranks[hour], 2) if hour in ranks else others[hour] for hour in range(HOURS)])
