"""What is published is looked at for comments from then on."""

from collections.abc import Sequence

from msgspec import UNSET

from signalpost import events
from signalpost.comments.actions import plan
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Db


async def on_posts_published(_context: AppContext, db: Db, published: Sequence[events.PostPublished]) -> None:
    """Plan the first look of each target that went public."""
    platforms = plan.platforms()
    targets = [event.data.target for event in published]
    target_ids = [
        target_id
        for target in targets
        if target is not UNSET
        and target.platform in platforms
        and (target_id := ids.decode("tgt", target.target_id)) is not None
    ]
    if target_ids:
        await plan.add(db, target_ids)
