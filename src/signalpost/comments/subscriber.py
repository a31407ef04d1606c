"""What is published is looked at for comments from then on, and networks that push do so for what is connected."""

from collections.abc import Sequence

from msgspec import UNSET

from signalpost import events
from signalpost.comments.actions import plan, push
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


async def on_accounts_connected(context: AppContext, db: Db, connected: Sequence[events.AccountConnected]) -> None:
    """Have their networks push comments, where the operator has set that up."""
    for event in connected:
        if (account_id := ids.decode("acc", event.data.account_id)) is not None:
            await push.add(context, db, account_id)


async def on_accounts_disconnected(
    _context: AppContext, db: Db, disconnected: Sequence[events.AccountDisconnected]
) -> None:
    """Let what is still pushed be of no account here."""
    for event in disconnected:
        if (account_id := ids.decode("acc", event.data.account_id)) is not None:
            await push.remove(db, account_id)
