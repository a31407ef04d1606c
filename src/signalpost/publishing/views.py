"""Rows as the API shows them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from signalpost.engine.contract import TickReport
from signalpost.kit import clock, ids
from signalpost.posts import document_views
from signalpost.posts import views as post_views
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.publishing.schemas import DeliveryCounts, NeverQueued, PostCancellation, QueueEntry, QueueRun, QueueTask
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
    position: int | None,
    leased_until: datetime | None,
) -> QueueEntry:
    """Return a post's queue entry. `tasks`: its targets with their states."""
    targets = [target for target, _ in tasks]
    holds = post_views.row_holds(post, targets)
    held = post_views.held_state(holds)
    return QueueEntry(
        id=ids.encode("que", post.id),
        post_id=ids.encode("pst", post.id),
        state=state,
        held=held.held,
        held_reason=held.held_reason,
        held_until=held.held_until,
        held_message=held.held_message,
        warnings=[post_views.hold_warning(hold) for hold in holds],
        run_at=clock.wire_or_none(min((at for at in map(_looked_at, targets) if at is not None), default=None)),
        priority=PRIORITY,
        attempts=max((target.attempts for target in targets), default=0),
        tasks=[queue_task(target, task) for target, task in tasks],
        position=position,
        leased_until=clock.wire_or_none(leased_until),
        enqueued_at=clock.wire_or_none(post.queued_at),
        finished_at=clock.wire(post.updated_at) if state in ("done", "failed", "cancelled") else None,
    )


def _looked_at(target: TargetRow) -> datetime | None:
    """Return when a worker looks at the target next."""
    return None if target.next_attempt_at is None else target.paused_until or target.next_attempt_at


def queue_task(target: TargetRow, state: TaskState) -> QueueTask:
    return QueueTask(
        target_id=ids.encode("tgt", target.id),
        platform=target.platform,
        state=state,
        attempts=target.attempts,
        run_at=clock.wire_or_none(_looked_at(target)),
        last_error=None if target.error is None else document_views.target_error(target.error),
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
