"""The engagement rate of one post, and of many. Pure."""

from typing import Final, Literal, NamedTuple

Basis = Literal["impressions", "reach", "views", "mixed"]


class EngagementRate(NamedTuple):
    """A rate in percent, and what it is over."""

    percent: float | None
    basis: Basis | None


UNKNOWN: Final = EngagementRate(None, None)


def of_post(interactions: int | None, impressions: int | None, reach: int | None, views: int | None) -> EngagementRate:
    """Return the rate of one post: over its impressions, else its reach, else its views."""
    if impressions is not None:
        return _rate(interactions, impressions, "impressions")
    if reach is not None:
        return _rate(interactions, reach, "reach")
    return UNKNOWN if views is None else _rate(interactions, views, "views")


def of_sums(engaged: int, impressions: int, reach: int, views: int) -> EngagementRate:
    """Return the rate of several posts, from the sums of those that have both an engagement and a basis."""
    sums: dict[Basis, int] = {"impressions": impressions, "reach": reach, "views": views}
    bases = [basis for basis, total in sums.items() if total]
    if not bases:
        return UNKNOWN
    return _rate(engaged, impressions + reach + views, bases[0] if len(bases) == 1 else "mixed")


def _rate(interactions: int | None, total: int, basis: Basis) -> EngagementRate:
    if interactions is None or not total:
        return UNKNOWN
    return EngagementRate(round(100 * interactions / total, 2), basis)


def interactions_of(*numbers: int | None) -> int | None:
    """Return the sum of likes, comments and shares that are known; None if none is."""
    present = [number for number in numbers if number is not None]
    return sum(present) if present else None
