"""States of targets and posts, the moves between them, and how the second follow from the first. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, get_args

TargetStatus = Literal[
    "pending", "publishing", "processing", "published", "retrying", "unknown", "failed", "cancelled", "removed"
]
PostStatus = Literal["draft", "scheduled", "queued", "publishing", "published", "partial", "failed"]
POST_STATUSES: Final[tuple[PostStatus, ...]] = get_args(PostStatus)

TARGET_MOVES: Final[Mapping[TargetStatus, frozenset[TargetStatus]]] = {
    "pending": frozenset({"publishing", "failed", "cancelled"}),
    "publishing": frozenset({"processing", "published", "retrying", "unknown", "failed"}),
    "processing": frozenset({"published", "retrying", "unknown", "failed"}),
    "retrying": frozenset({"publishing", "failed", "cancelled"}),
    "unknown": frozenset({"published", "retrying", "failed"}),
    "published": frozenset({"removed"}),
    "failed": frozenset({"pending"}),  # retry by a person
    "cancelled": frozenset({"pending"}),  # submitted or restored
    "removed": frozenset(),
}

POST_MOVES: Final[Mapping[PostStatus, frozenset[PostStatus]]] = {
    "draft": frozenset({"scheduled", "queued"}),
    "scheduled": frozenset({"draft", "queued", "failed"}),  # failed: its last account was disconnected
    "queued": frozenset({"publishing", "draft", "failed"}),
    "publishing": frozenset({"published", "partial", "failed"}),
    "published": frozenset(),
    "partial": frozenset({"queued"}),
    "failed": frozenset({"queued"}),
}

WAITING: Final = ("pending", "retrying")
"""Targets that no worker holds: what is still to be sent can be changed."""

UNDER_WAY: Final = ("publishing", "processing", "unknown")
"""Targets whose fate is being decided at the network."""

OVER: Final = ("published", "removed", "failed")

EDITABLE: Final = ("draft", "scheduled", "queued", "failed")


def post_status(
    targets: Sequence[TargetStatus], due: datetime | None, now: datetime, *, started: bool = True
) -> PostStatus:
    """Return what a post is, by its targets.

    Args:
        targets: the status of each; cancelled ones count for nothing.
        due: when the earliest waiting one is to go out; None: nothing is queued.
        now: what "due" is judged by.
        started: whether a target was ever tried. If not, those that failed (their account went away) leave the post
            scheduled or queued for the others.
    """
    live = [status for status in targets if status != "cancelled"]
    if not live:
        return "draft"
    if all(status in OVER for status in live):
        failed = live.count("failed")
        return "failed" if failed == len(live) else "partial" if failed else "published"
    if all(status == "pending" or (status == "failed" and not started) for status in live):
        if due is None:
            return "draft"
        return "queued" if due <= now else "scheduled"
    return "publishing"
