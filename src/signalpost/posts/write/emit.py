"""The events about posts, emitted in the transaction of the change."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from signalpost import events
from signalpost.context import AppContext
from signalpost.events import PostData, TargetData
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.posts import document_views, progress
from signalpost.posts.rows import AnyPost, AnyTarget, PostRow, TargetRow

_POST_ENDED: Final[dict[str, type[events.PublicEvent]]] = {
    "published": events.PostPublished,
    "partial": events.PostPartial,
    "failed": events.PostFailed,
}


async def post_queued(context: AppContext, db: Db, post: PostRow, targets: Sequence[TargetRow]) -> None:
    """Emit post.queued: once each time the post is accepted, also if it waits for its time."""
    await context.emit(db, post_queued_event(post, targets))


def post_queued_event(post: PostRow, targets: Sequence[TargetRow]) -> events.PublicEvent:
    """Return post.queued."""
    waiting = [target for target in targets if target.next_attempt_at is not None]
    data = post_data(
        post,
        targets,
        queued_at=clock.wire_or_none(post.queued_at),
        run_at=clock.wire_or_none(progress.first_due(waiting)),
        targets=[queued_target_data(target) for target in waiting],
    )
    return _event(events.PostQueued, post, data, clock.now())


async def approval_requested(context: AppContext, db: Db, post: PostRow, targets: Sequence[TargetRow]) -> None:
    """Emit post.approval_requested: each time that someone has to decide on the post as it is now."""
    await context.emit(db, approval_requested_event(post, targets))


def approval_requested_event(post: PostRow, targets: Sequence[TargetRow]) -> events.PublicEvent:
    """Return post.approval_requested."""
    data = post_data(
        post,
        targets,
        version=post.version,
        requested_at=clock.wire(post.approval.requested_at) if post.approval.requested_at else None,
    )
    return _event(events.PostApprovalRequested, post, data, clock.now())


async def target_ended(
    context: AppContext, db: Db, post: PostRow, targets: Sequence[TargetRow], target: TargetRow, now: datetime
) -> None:
    """Emit post.published or post.failed for one target that was published or failed."""
    await context.emit(db, target_ended_event(post, targets, target, now))


async def stopped(
    context: AppContext,
    db: Db,
    post: PostRow,
    targets: Sequence[TargetRow],
    stopped_targets: Sequence[TargetRow],
    now: datetime,
) -> None:
    """Emit what tells that these targets failed, since they were taken off the queue when a part was public."""
    ended = [target_ended_event(post, targets, target, now) for target in stopped_targets]
    await context.emit(db, *ended, *post_ended_events(post, targets, now))


async def post_ended(context: AppContext, db: Db, post: PostRow, targets: Sequence[TargetRow], now: datetime) -> None:
    """Emit the event of the post as a whole, if its status says that its last target has ended."""
    await context.emit(db, *post_ended_events(post, targets, now))


def target_ended_event(post: AnyPost, targets: Sequence[AnyTarget], target: AnyTarget, now: datetime) -> events.Event:
    """Return post.published or post.failed for one target that was published or failed."""
    kind = events.PostPublished if target.status == "published" else events.PostFailed
    data = post_data(post, targets, "target", target=target_data(target))
    return _event(kind, post, data, now)


def post_ended_events(post: AnyPost, targets: Sequence[AnyTarget], now: datetime) -> list[events.Event]:
    """Return the events of the post as a whole; none unless its status says that its last target has ended."""
    kind = _POST_ENDED.get(post.status)
    if kind is None:
        return []
    live = [target_data(target) for target in targets if target.status != "cancelled"]
    data = post_data(post, targets, targets=live)
    if post.status == "published":
        data.published_at = clock.wire_or_none(post.published_at)
    settled = events.PostSettled(
        workspace_id=post.workspace_id, at=now, post_id=post.id, profile_id=post.profile_id, status=post.status,
        source=post.source,
    )  # fmt: skip
    return [_event(kind, post, data, now), settled]


def _event(kind: type[events.PublicEvent], post: AnyPost, data: PostData, now: datetime) -> events.PublicEvent:
    return kind(workspace_id=post.workspace_id, at=now, profile_id=post.profile_id, mode=post.mode, data=data)


def post_data(
    post: AnyPost, rows: Sequence[AnyTarget], scope: Literal["post", "target"] = "post", **more: Any
) -> PostData:
    """Return `data` of an event about the post with these targets; `more`: the keys that only this event has."""
    counts = progress.count(rows)
    return PostData(
        post_id=ids.encode("pst", post.id),
        published=counts.published,
        failed=counts.failed,
        total=counts.total,
        profile_id=ids.encode("prof", post.profile_id),
        status=post.status,
        scope=scope,
        external_id=post.external_id,
        scheduled_at=clock.wire_or_none(post.scheduled_at),
        source=post.source,
        mode=post.mode,
        **more,
    )


def target_data(target: AnyTarget) -> TargetData:
    """Return a target that ended, as events show it: without the network's literal response."""
    error: dict[str, Any] | UnsetType = UNSET
    if target.error is not None:
        document = msgspec.to_builtins(document_views.target_error(target.error))
        error = {name: value for name, value in document.items() if name != "platformResponse"}
    return TargetData(
        target_id=ids.encode("tgt", target.id),
        platform=target.platform,
        account_id=ids.encode("acc", target.account_id),
        username=target.username,
        status=target.status,
        delivery=target.delivery or UNSET,
        platform_post_id=target.remote_id or UNSET,
        url=target.url or UNSET,
        published_at=clock.wire(target.published_at) if target.published_at else UNSET,
        error=error,
    )


def queued_target_data(target: TargetRow) -> TargetData:
    """Return a target that waits, as post.queued names it."""
    return TargetData(
        target_id=ids.encode("tgt", target.id),
        platform=target.platform,
        account_id=ids.encode("acc", target.account_id),
    )
