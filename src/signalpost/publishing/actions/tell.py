"""The events of publishing, in the transaction of the change they tell of."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from signalpost import events
from signalpost.context import AppContext
from signalpost.events import PostData
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.posts import event_data
from signalpost.posts.queries import PostRow, TargetRow

ENDINGS: Final[dict[str, type[events.PublicEvent]]] = {
    "published": events.PostPublished,
    "partial": events.PostPartial,
    "failed": events.PostFailed,
}
"""What is told of a post as a whole, by the status it ended in."""


async def target_ended(
    context: AppContext, db: Db, post: PostRow, targets: Sequence[TargetRow], target: TargetRow, now: datetime
) -> None:
    """Emit post.published or post.failed for one target that came to its end."""
    kind = events.PostPublished if target.status == "published" else events.PostFailed
    data = event_data.post_data(post, targets, "target", target=event_data.target_data(target))
    await _emit(context, db, kind, post, data, now)


async def post_ended(context: AppContext, db: Db, post: PostRow, targets: Sequence[TargetRow], now: datetime) -> None:
    """Emit the one event of the post as a whole: its last target has ended."""
    live = [event_data.target_data(target) for target in targets if target.status != "cancelled"]
    data = event_data.post_data(post, targets, targets=live)
    if post.status == "published":
        data.published_at = clock.wire_or_none(post.published_at)
    await _emit(context, db, ENDINGS[post.status], post, data, now)
    settled = events.PostSettled(workspace_id=post.workspace_id, at=now, post_id=post.id, status=post.status)
    await context.emit(db, settled)


async def _emit(
    context: AppContext, db: Db, kind: type[events.PublicEvent], post: PostRow, data: PostData, now: datetime
) -> None:
    event = kind(workspace_id=post.workspace_id, at=now, profile_id=post.profile_id, mode=post.mode, data=data)
    await context.emit(db, event)
