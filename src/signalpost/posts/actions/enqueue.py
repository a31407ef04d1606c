"""Targets on and off the queue. Changes the rows it is given; writes nothing."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from signalpost.kit import clock
from signalpost.posts.rows import TargetRow
from signalpost.posts.states import WAITING, HeldReason, move


def due_at(target: TargetRow, scheduled_at: datetime | None, now: datetime) -> datetime:
    """Return when a target is due: at its own time, else the post's, else `now`, the database's clock.

    A time that has come by the request's clock (which a test key may set) means now. One that lies ahead is rounded up
    to the millisecond: times are shown cut off to it, and a post that starts at once would seem to be early.
    """
    at = target.scheduled_at or scheduled_at
    return now if at is None or at <= clock.now() else at + timedelta(microseconds=-at.microsecond % 1000)


def enqueue(target: TargetRow, due: datetime, *, held_reason: HeldReason | None) -> None:
    """Make the target wait for its time."""
    move(target, "pending")
    target.due_at = target.next_attempt_at = due
    target.held_reason = held_reason
    target.error = None


def dequeue(target: TargetRow) -> None:
    """Leave the target with nothing to wait for."""
    target.due_at = target.next_attempt_at = target.held_reason = None


def cancel_waiting(targets: Iterable[TargetRow]) -> int:
    """Cancel the targets that wait on the queue; return how many there were."""
    waiting = [target for target in targets if target.status in WAITING and target.next_attempt_at is not None]
    for target in waiting:
        move(target, "cancelled")
        dequeue(target)
    return len(waiting)
