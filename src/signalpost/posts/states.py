"""States of targets and posts, the moves of targets, and how the status of a post follows from its targets. Pure.

A target moves only by `move`, or by a statement whose states come from `sources`. A post does not move by itself: its
status is always `post_status` of its targets.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, Protocol, get_args

TargetStatus = Literal[
    "pending", "publishing", "processing", "published", "retrying", "unknown", "failed", "cancelled", "removed"
]
PostStatus = Literal["draft", "scheduled", "queued", "publishing", "published", "partial", "failed"]
HeldReason = Literal["approval", "account", "plan"]
"""What a target that is due waits for."""
POST_STATUSES: Final[tuple[PostStatus, ...]] = get_args(PostStatus)

TARGET_MOVES: Final[Mapping[TargetStatus, frozenset[TargetStatus]]] = {
    "pending": frozenset({"publishing", "failed", "cancelled"}),
    "publishing": frozenset({"processing", "published", "retrying", "unknown", "failed"}),
    "processing": frozenset({"published", "retrying", "unknown", "failed"}),
    "retrying": frozenset({"publishing", "failed", "cancelled"}),
    "unknown": frozenset({"published", "retrying", "failed"}),
    "published": frozenset({"removed"}),
    "failed": frozenset({"pending", "published"}),  # someone retries it, or has seen it at the network
    "cancelled": frozenset({"pending"}),  # submitted or restored
    "removed": frozenset(),
}

WAITING: Final[tuple[TargetStatus, ...]] = ("pending", "retrying")
"""Targets that no worker has: what is still to be sent can be changed."""

UNDER_WAY: Final[tuple[TargetStatus, ...]] = ("publishing", "processing", "unknown")
"""Targets whose fate is being decided at the network."""

OVER: Final[tuple[TargetStatus, ...]] = ("published", "removed", "failed")

EDITABLE: Final[tuple[PostStatus, ...]] = ("draft", "scheduled", "queued", "failed")


class HasStatus(Protocol):
    """A target, as a row or as anything else with a status."""

    status: TargetStatus


class IllegalMove(AssertionError):
    """A target would move in a way that `TARGET_MOVES` does not know: a bug of ours."""


def move(target: HasStatus, to: TargetStatus) -> None:
    """Set the status of a target; staying where it is always allowed.

    Raises:
        IllegalMove: there is no such move.
    """
    if to != target.status and to not in TARGET_MOVES[target.status]:
        raise IllegalMove(f"a target does not move from {target.status} to {to}")
    target.status = to


def sources(to: TargetStatus, among: Collection[TargetStatus] = tuple(TARGET_MOVES)) -> list[TargetStatus]:
    """Return those of `among` from which a target may move to `to`: `status = any(...)` of a set-based update."""
    return [status for status in among if to in TARGET_MOVES[status]]


def post_status(
    targets: Sequence[TargetStatus], due: datetime | None, now: datetime, *, started: bool = True
) -> PostStatus:
    """Return the status of a post with these targets.

    Args:
        targets: the status of each; cancelled ones do not count.
        due: when the earliest waiting one is to be published; None: nothing is queued.
        now: what "due" is judged by.
        started: whether any target was attempted. If not, those that failed (their account was disconnected) leave the
            post scheduled or queued for the others.
    """
    live = set(targets) - {"cancelled"}
    if not live:
        return "draft"
    if live.issubset(OVER):
        return "failed" if live == {"failed"} else "partial" if "failed" in live else "published"
    if live == {"pending"} or (live == {"pending", "failed"} and not started):
        if due is None:
            return "draft"
        return "queued" if due <= now else "scheduled"
    return "publishing"
