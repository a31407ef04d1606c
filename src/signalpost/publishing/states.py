"""The state of a post on the queue, from the state of its targets. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final, Literal

from msgspec import Meta

from signalpost.posts.rows import TargetRow
from signalpost.posts.states import PostStatus, TargetStatus

TaskState = Annotated[Literal["waiting", "ready", "leased", "done", "failed", "cancelled"], Meta(examples=["waiting"])]
QueueState = Annotated[
    Literal["none", "waiting", "ready", "leased", "done", "failed", "cancelled"], Meta(examples=["waiting"])
]

_TASK_STATES: Final[Mapping[TargetStatus, TaskState]] = {
    "publishing": "leased",
    "published": "done",
    "removed": "done",
    "failed": "failed",
    "cancelled": "cancelled",
}


def task_state(target: TargetRow, now: datetime) -> TaskState:
    """Return what the queue shows for a target."""
    if target.status == "pending" and target.next_attempt_at is None:
        return "cancelled"  # a draft again
    due = target.next_attempt_at is not None and target.next_attempt_at <= now
    free = target.held_reason is None and target.paused_until is None
    return _TASK_STATES.get(target.status, "ready" if due and free else "waiting")


def queue_state(tasks: Sequence[TaskState], post_status: PostStatus) -> QueueState:
    """Return the state of the whole entry: the liveliest of its tasks."""
    live = [state for state in tasks if state != "cancelled"]
    if not live or post_status == "draft":
        return "cancelled"
    for state in ("leased", "ready", "waiting"):
        if state in live:
            return state
    return "failed" if "failed" in live else "done"
