"""Comments that an account of Instagram Login pushes: the field `comments`, to which each account is subscribed.

Source: developers.facebook.com, "Set up Instagram Webhooks" (updated 2026-10-20: an account gets the fields that the
app has; advanced access is needed; of an album the album's id is not named) and "Webhook notification examples"
(updated 2025-11-24: an entry of Instagram Login is one change, without a list), read 2026-11-30. Accounts that are
connected by their Page would need `pages_manage_metadata`, which they are not asked for. Which secret signs: decision
0455.
"""

from typing import Any

from signalpost.networks.connectors.instagram.account import graph_of
from signalpost.networks.contract import CommentPush, Hint, NetworkSession
from signalpost.networks.meta.push import changes, identifier


def read(payload: Any) -> list[Hint]:
    """Read where comments were written."""
    hints = []
    for account_id, value in changes(payload, "instagram", "comments"):
        media = value.get("media")
        media_id = identifier(media.get("id")) if isinstance(media, dict) else None
        if media_id is not None:
            hints.append(Hint(account_id, (media_id,)))
    return hints


async def subscribe(session: NetworkSession) -> None:
    """Have the account push its comments.

    Raises:
        ApiError: the connection lacks the permission.
    """
    await graph_of(session).post("me/subscribed_apps", {"subscribed_fields": "comments"})


async def unsubscribe(session: NetworkSession) -> None:
    """End that, and all else that the app was subscribed to there."""
    await graph_of(session).delete("me/subscribed_apps")


PUSH = CommentPush(
    read=read, subscribe=subscribe, unsubscribe=unsubscribe, scopes=(("instagram_business_manage_comments",),)
)
