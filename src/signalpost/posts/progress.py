"""How far a post is, judged by its targets: its status, its counts, and when the next target is due. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from signalpost.kit import clock
from signalpost.posts.rows import AnyPost, AnyTarget, PostRow, TargetRow
from signalpost.posts.schemas.responses import TargetCounts
from signalpost.posts.states import HasStatus, PostStatus, post_status


def status_of(targets: Sequence[AnyTarget], now: datetime) -> PostStatus:
    """Return the status to store for a post with these targets.

    A target that failed before its first attempt does not count as started. What is due and held is queued, whenever a
    worker looks again; what waits for approval is held before it is due.
    """
    started = is_due = False
    for target in targets:
        started = started or target.started_at is not None
        if target.held_reason is not None:
            waits = target.held_reason == "approval" and (target.due_at is None or target.due_at > now)
            is_due = is_due or not waits
    due = now if is_due else first_due(targets)
    return post_status([target.status for target in targets], due, now, started=started)


def current_status(post: PostRow, targets: Sequence[TargetRow]) -> PostStatus:
    """Return the status as of now: a scheduled post whose time has come is queued, even before a worker took it."""
    if post.status != "scheduled" or post.deleted_at is not None:
        return post.status
    due = first_due(targets)
    return "queued" if due is not None and due <= clock.now() else "scheduled"


def published_at(status: PostStatus, targets: Iterable[AnyTarget]) -> datetime | None:
    """Return when a post of this status was published: when the last of its targets was; None: not all have ended."""
    if status not in ("published", "partial"):
        return None
    return max((target.published_at for target in targets if target.published_at is not None), default=None)


def shown_published_at(post: AnyPost, target: AnyTarget, at: datetime) -> datetime:
    """Return when a target that is published now was, as clients see it; `queries.PUBLISHED_AT` says the same."""
    scheduled_at = target.scheduled_at or post.scheduled_at
    if post.mode != "test" or scheduled_at is None or target.due_at is None:
        return at
    return at + max(scheduled_at - target.due_at, timedelta(0))


def first_due(targets: Iterable[AnyTarget]) -> datetime | None:
    """Return when the earliest waiting target is due."""
    due = [target.next_attempt_at for target in targets if target.next_attempt_at is not None]
    return min(due, default=None)


def count(targets: Iterable[HasStatus]) -> TargetCounts:
    """Count targets by result; a removed one was published."""
    published = failed = pending = 0
    for target in targets:
        match target.status:
            case "published" | "removed":
                published += 1
            case "failed":
                failed += 1
            case "cancelled":
                pass
            case _:
                pending += 1
    return TargetCounts(published + failed + pending, published, failed, pending)


def public_parts(target: TargetRow) -> int:
    """Return how many parts of the target's thread are public: from the first on, until one failed."""
    return 0 if target.remote_id is None or target.status == "removed" else 1 + len(target.thread_ids)
