"""Rows as the API shows them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.engine.contract import TickReport
from signalpost.kit import clock, ids
from signalpost.posts import views as post_views
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.publishing.schemas import (
    DeliveryCounts,
    NeverQueued,
    PostCancellation,
    QueueEntry,
    QueueRun,
    QueueTask,
)
from signalpost.publishing.states import QueueState, TaskState

PRIORITY: Final = 5
"""The same for all posts: fairness between workspaces and due time decide the order."""


def never_queued(post: PostRow) -> NeverQueued:
    return NeverQueued(post_id=ids.encode("pst", post.id))


def queue_entry(
    post: PostRow,
    tasks: Sequence[tuple[TargetRow, TaskState]],
    *,
    state: QueueState,
    paused: Mapping[UUID, datetime],
    position: int | None,
    leased_until: datetime | None,
) -> QueueEntry:
    """Return a post's queue entry.

    `tasks` are its targets with their states, `paused` the accounts that their network keeps waiting, until when.
    """
    targets = [target for target, _ in tasks]
    held_reason = next(
        (target.held_reason for target in targets if target.held_reason and target.next_attempt_at), None
    )
    return QueueEntry(
        id=ids.encode("que", post.id),
        post_id=ids.encode("pst", post.id),
        state=state,
        held=held_reason is not None or bool(paused),
        held_reason=held_reason or ("network" if paused else None),
        run_at=clock.wire_or_none(_run_at(targets, paused)),
        priority=PRIORITY,
        attempts=max((target.attempts for target in targets), default=0),
        tasks=[queue_task(target, task, paused) for target, task in tasks],
        position=position,
        leased_until=clock.wire_or_none(leased_until),
        enqueued_at=clock.wire_or_none(post.queued_at),
        finished_at=clock.wire(post.updated_at) if state in ("done", "failed", "cancelled") else None,
    )


def _run_at(targets: Sequence[TargetRow], paused: Mapping[UUID, datetime]) -> datetime | None:
    """Return when the first waiting target is looked at next."""
    times = [_looked_at(target, paused) for target in targets]
    return min((at for at in times if at is not None), default=None)


def _looked_at(target: TargetRow, paused: Mapping[UUID, datetime]) -> datetime | None:
    at = target.next_attempt_at
    return None if at is None else paused.get(target.account_id, at)


def queue_task(target: TargetRow, state: TaskState, paused: Mapping[UUID, datetime]) -> QueueTask:
    return QueueTask(
        target_id=ids.encode("tgt", target.id),
        platform=target.platform,
        state=state,
        attempts=target.attempts,
        run_at=clock.wire_or_none(_looked_at(target, paused)),
        last_error=None if target.error is None else post_views.target_error(target.error),
    )


def post_cancellation(post: PostRow, *, cancelled_targets: int, started_targets: int) -> PostCancellation:
    return PostCancellation(
        post_id=ids.encode("pst", post.id), cancelled_targets=cancelled_targets, started_targets=started_targets
    )


def queue_run(report: TickReport) -> QueueRun:
    targets, deliveries = report.outcomes.get("target", {}), report.outcomes.get("delivery", {})
    delivered = deliveries.get("delivered", 0)
    attempted = sum(deliveries.values())
    return QueueRun(
        claimed=report.claimed.get("target", 0),
        published=targets.get("published", 0),
        failed=targets.get("failed", 0),
        retrying=targets.get("retrying", 0),
        unknown=targets.get("unknown", 0),
        remaining=report.remaining,
        oldest_due_age_seconds=round(max(report.oldest_due_age_seconds, 0.0), 3),
        duration_ms=round(report.duration_seconds * 1000),
        webhooks=DeliveryCounts(attempted=attempted, delivered=delivered, failed=attempted - delivered),
    )
