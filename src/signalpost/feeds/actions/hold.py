"""A feed stops until a person has looked, and whoever answers for it gets a mail."""

from typing import Final

from signalpost import mail
from signalpost.feeds.queries import FeedRow
from signalpost.feeds.states import HELD, HeldReason
from signalpost.identity import members
from signalpost.kit.db import Db

_HOLD: Final = """
update feed set state = 'held', held_reason = $3, next_attempt_at = null, version = version + 1, updated_at = now()
where id = $1 and workspace_id = $2 and state = 'active' returning 1
"""


async def hold(db: Db, feed: FeedRow, reason: HeldReason) -> None:
    """Hold a feed, and mail why to whoever answers for it. Repeating this changes nothing."""
    if await db.fetchval(_HOLD, feed.id, feed.workspace_id, reason) is None:
        return
    person = await members.addressee(db, feed.user_id, feed.workspace_id)
    values = {"workspace": person.workspace, "feed": feed.title or feed.url, "url": feed.url, "reason": HELD[reason]}
    await mail.enqueue(
        db, mail.Message(to=person.email, template="feed_held", values=values), workspace_id=feed.workspace_id
    )
