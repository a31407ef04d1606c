"""Comments that a Page pushes: the field `feed` of the app's webhook, to which each Page is subscribed by a call."""

from typing import Any

from signalpost.networks.connectors.facebook.account import OAUTH_FACTS, page_graph
from signalpost.networks.contract import CommentPush, Hint, NetworkSession
from signalpost.networks.meta.push import changes, identifier


def read(payload: Any) -> list[Hint]:
    """Read where comments changed. The post of a video is called by a longer id than the video."""
    hints = []
    for page_id, value in changes(payload, "page", "feed"):
        post_id = identifier(value.get("post_id"))
        if value.get("item") == "comment" and post_id is not None:
            hints.append(Hint(page_id, (post_id, post_id.rpartition("_")[2])))
    return hints


async def subscribe(session: NetworkSession) -> None:
    """Have the Page push what changes in its feed.

    Raises:
        ApiError: the connection lacks the permission.
    """
    await page_graph(session).post(f"{session.remote_id}/subscribed_apps", {"subscribed_fields": "feed"})


async def unsubscribe(session: NetworkSession) -> None:
    """End that, and all else that the app was subscribed to there."""
    await page_graph(session).delete(f"{session.remote_id}/subscribed_apps")


PUSH = CommentPush(read=read, subscribe=subscribe, unsubscribe=unsubscribe, scopes=(OAUTH_FACTS.push_scopes,))
