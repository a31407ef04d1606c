"""Writing what becomes of a target, with all that follows from it. Under the lane's lease."""

from datetime import datetime
from typing import Final

from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.networks.contract import Published
from signalpost.posts import progress
from signalpost.posts.actions import audit, emit
from signalpost.posts.documents import AttemptRecord, Change, FirstComment
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.states import OVER, move
from signalpost.publishing.policy import AttemptKind, TargetChange
from signalpost.publishing.queries import LockedTarget

SYSTEM: Final = Actor(type="system", id=None, name="publisher")

_SETTLE = """
update target set status = $2, next_attempt_at = now() + make_interval(secs => $3), held_reason = $4, error = $5,
    tries = tries - $6, crashes = $10, reconciles = $7, pending_state = $8,
    intent = case when $9 then null else intent end, updated_at = now()
where id = $1 returning next_attempt_at
"""
_PUBLISHED = """
update target set delivery = $2, remote_id = $3, url = $4, thread_ids = $5, first_comment = $6, published_at = now()
where id = $1 returning published_at
"""
_POST = """
update post set status = $2, published_at = $3, updated_at = now()
where id = $1 and (status, published_at) is distinct from ($2, $3)
"""


async def apply_change(
    context: AppContext,
    db: Db,
    locked: LockedTarget,
    change: TargetChange,
    now: datetime,
    *,
    kind: AttemptKind | None = None,
    audit_record: AttemptRecord | None = None,
) -> None:
    """Write a change to a locked target; derive its post's status; add to its history; emit what ended.

    Args:
        context: emits the events.
        db: the transaction that holds the locks.
        locked: the target.
        change: what `decide` or `settle` returned.
        now: when the target was read.
        kind: of the attempt that ended; None: no attempt was made.
        audit_record: of that attempt.
    """
    post, targets, target = locked
    status_before, post_status_before = target.status, post.status
    move(target, change.status)
    target.next_attempt_at = await db.fetchval(
        _SETTLE, target.id, change.status, change.after_seconds, change.held_reason, change.error,
        int(change.uncounted), change.reconciles, change.pending_state, change.closes_intent, change.crashes,
    )  # fmt: skip
    target.held_reason, target.error = change.held_reason, change.error
    if change.published is not None:
        await _save_publication(db, post, target, change.published)
    await derive_post(db, post, targets, now)
    if action := _audit_action(status_before, change, kind):
        changes = [Change("status", status_before, change.status)]
        entry = audit.entry(post, action, SYSTEM, target_id=target.id, changes=changes, attempt=audit_record)
        await audit.record(db, [entry])
    if target.status in OVER and status_before not in OVER:
        ended_at = clock.now()
        await emit.target_ended(context, db, post, targets, target, ended_at)
        if post.status != post_status_before:
            await emit.post_ended(context, db, post, targets, ended_at)


async def _save_publication(db: Db, post: PostRow, target: TargetRow, published: Published) -> None:
    comment = FirstComment()
    if published.first_comment_id is not None:
        comment = FirstComment(status="posted", id=published.first_comment_id)
    elif post.first_comment and published.first_comment_error is not None:
        comment = FirstComment(status="failed", error=published.first_comment_error)
    target.delivery, target.remote_id, target.url = published.delivery, published.remote_id, published.url
    target.thread_ids, target.first_comment = list(published.thread_ids), comment
    target.published_at = await db.fetchval(
        _PUBLISHED, target.id, target.delivery, target.remote_id, target.url, target.thread_ids, comment
    )


async def derive_post(db: Db, post: PostRow, targets: list[TargetRow], now: datetime) -> None:
    post.status = progress.status_of(targets, now)
    if post.status in ("published", "partial") and post.published_at is None:
        post.published_at = now
    await db.execute(_POST, post.id, post.status, post.published_at)


def _audit_action(status_before: str, change: TargetChange, kind: AttemptKind | None) -> str | None:
    """Return the action of the audit log for a change; None for what is not news: another reconcile, another wait."""
    if change.status == "failed":
        return "target.failed"
    if kind == "reconcile" and change.status in ("published", "retrying"):
        return "reconciled"
    if change.status == "published":
        return "target.published"
    if change.status == "unknown":
        return "target.unknown" if status_before != "unknown" else None
    return "target.attempt" if kind == "publish" else None
