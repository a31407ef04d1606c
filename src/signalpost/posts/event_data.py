"""`data` of the events about posts: every event has the same keys, counted at that moment."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from signalpost.events import PostData, TargetData
from signalpost.kit import clock, ids
from signalpost.posts import document_views, progress
from signalpost.posts.rows import AnyPost, AnyTarget, TargetRow


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
