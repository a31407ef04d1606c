"""Targets on and off the queue. Changes the rows it is given; writes nothing."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from signalpost.kit import clock
from signalpost.posts import progress
from signalpost.posts.rows import TargetRow
from signalpost.posts.states import WAITING, HeldReason, move
from signalpost.posts.target_errors import target_error


def due_at(at: datetime | None, now: datetime) -> datetime:
    """Return when a target is due: at its time, which is its own or the post's, or else `now`, the database's clock.

    A time that has come by the request's clock (which a test key may set) means now. One that lies ahead is rounded up
    to the millisecond: times are shown cut off to it, and a post that starts at once would seem to be early.
    """
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


class TakenOff(NamedTuple):
    """Targets that are no longer on the queue. `stopped`: they have failed, since a part of their thread is public."""

    cancelled: list[TargetRow]
    stopped: list[TargetRow]


def cancel_waiting(targets: Iterable[TargetRow], now: datetime) -> TakenOff:
    """Take the targets that wait off the queue."""
    taken_off = TakenOff([], [])
    for target in targets:
        if target.status not in WAITING or target.next_attempt_at is None:
            continue
        if parts := progress.public_parts(target):
            move(target, "failed")
            target.error = target_error("cancelled", f"Cancelled when {_public_text(parts)} public.", now)
            taken_off.stopped.append(target)
        else:
            move(target, "cancelled")
            taken_off.cancelled.append(target)
        dequeue(target)
    return taken_off


def _public_text(count: int) -> str:
    """Return the start of a sentence about public parts of a thread."""
    return "the first part of the thread was" if count == 1 else f"the first {count} parts of the thread were"
