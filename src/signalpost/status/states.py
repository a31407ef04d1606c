"""Which status follows which, and how bad each one is. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, Literal, get_args

ComponentStatus = Literal["operational", "under_maintenance", "degraded_performance", "partial_outage", "major_outage"]
"""From good to bad; rows of minutes have this order."""
IncidentKind = Literal["incident", "maintenance"]
IncidentStatus = Literal[
    "investigating", "identified", "monitoring", "resolved", "scheduled", "in_progress", "verifying", "completed"
]
Impact = Literal["none", "minor", "major", "critical"]

COMPONENT_STATUSES: Final[tuple[ComponentStatus, ...]] = get_args(ComponentStatus)
DOWN_SHARE: Final = (0.0, 0.0, 0.0, 0.3, 1.0)
"""How much of a minute counts as downtime, in the order of the statuses; the shares are those of Statuspage."""
STATUSES_OF: Final[dict[IncidentKind, tuple[IncidentStatus, ...]]] = {
    "incident": ("investigating", "identified", "monitoring", "resolved"),
    "maintenance": ("scheduled", "in_progress", "verifying", "completed"),
}
"""The last one ends it; the others follow each other in any order."""
ENDS: Final[frozenset[IncidentStatus]] = frozenset({"resolved", "completed"})
REOPEN_WITHIN: Final = timedelta(hours=24)
OF_IMPACT: Final[dict[Impact, ComponentStatus | None]] = {
    "none": None,
    "minor": "degraded_performance",
    "major": "partial_outage",
    "critical": "major_outage",
}
"""What an incident does to its components unless it says otherwise."""


def fits(kind: IncidentKind, status: IncidentStatus) -> bool:
    """Whether an incident of this kind can have this status."""
    return status in STATUSES_OF[kind]


def may_follow(old: IncidentStatus, new: IncidentStatus, *, ended_at: datetime | None, now: datetime) -> bool:
    """Whether an update may lead from `old` to `new`: an ended incident can only be opened again, within a day."""
    if old not in ENDS or ended_at is None:
        return True
    return new not in ENDS and now - ended_at <= REOPEN_WITHIN


def worst(statuses: Iterable[ComponentStatus]) -> ComponentStatus:
    """Return the worst of some statuses; operational if there are none."""
    return max(statuses, key=COMPONENT_STATUSES.index, default="operational")


def holds(status: IncidentStatus) -> bool:
    """Whether an incident with this status decides what its components have."""
    return status not in ENDS and status != "scheduled"
