"""Replies to the posts of a profile, and what the profile answers and hides.

Source: developers.facebook.com, "Reply management" and "Retrieve replies and conversations" of the Threads API, read
2026-11-29 (all replies at any depth; one on top is hidden with those below it); the clients denim 2.0.0 and
zernio-sdk 1.4.1385, read on the same day, hide and answer replies in the same way.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from signalpost.kit import clock
from signalpost.networks.connectors.threads.account import graph_of
from signalpost.networks.connectors.threads.publish import publish
from signalpost.networks.contract import Comments, NetworkSession, OutgoingReply, RemoteComment
from signalpost.networks.listing import Listing
from signalpost.networks.meta.comments import comments_of_each, instant, read_edge
from signalpost.networks.replies import ReplyPost, reply_as_part
from signalpost.networks.responses import string

_CONVERSATION: Final = {
    "fields": "id,text,timestamp,username,permalink,replied_to,is_reply_owned_by_me,hide_status",
    "reverse": "true",
    "limit": "100",
}


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the conversation under each post, newest first."""
    graph = graph_of(session)

    async def read(post_id: str) -> Comments:
        listing = Listing()
        await read_edge(graph, f"{post_id}/conversation", _CONVERSATION, listing, partial(_comment, post_id))
        return listing.comments()

    return await comments_of_each(remote_ids, read)


def _comment(post_id: str, item: Mapping[str, Any]) -> RemoteComment:
    replied_to, name = item.get("replied_to"), string(item.get("username")) or ""
    parent_id = string(replied_to.get("id")) if isinstance(replied_to, dict) else None
    return RemoteComment(
        remote_id=item["id"],
        parent_id=None if parent_id == post_id else parent_id,
        author_id=name,
        author_name=name,
        author_handle=name or None,
        author_url=f"https://www.threads.com/@{name}" if name else None,
        is_own=item.get("is_reply_owned_by_me") is True,
        text=string(item.get("text")) or "",  # none: a picture or a video alone
        url=string(item.get("permalink")),
        posted_at=instant(item["timestamp"]),
        hidden=item.get("hide_status") == "HIDDEN",
    )


def _to_post(reply: OutgoingReply) -> ReplyPost:
    return ReplyPost(before=({"id": reply.comment_id, "at": clock.wire(reply.created_at)},), text=reply.text)


reply = reply_as_part(publish, _to_post)


async def hide_comment(
    session: NetworkSession,
    remote_id: str,
    _reference: Mapping[str, Any],
    hidden: bool,  # noqa: FBT001 - as the contract has it
) -> None:
    """Hide a reply and those below it, or show them again. Replies to replies follow the one on top."""
    await graph_of(session).post(f"{remote_id}/manage_reply", {"hide": hidden})
