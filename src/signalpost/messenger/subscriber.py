"""What a person who posts by messages hears when a post has ended."""

from collections.abc import Sequence

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.messenger import queries
from signalpost.messenger.actions import reply


async def on_posts_settled(context: AppContext, db: Db, settled: Sequence[events.PostSettled]) -> None:
    """Have the results of posts sent to the numbers that they came from."""
    own = [event for event in settled if event.source == "messaging"]
    if not own:
        return
    post_ids, workspace_ids = [event.post_id for event in own], [event.workspace_id for event in own]
    for post_id, link in await queries.links_of_posts(db, post_ids, workspace_ids):
        await reply.to_link(context, db, link, None, post_id=post_id)
