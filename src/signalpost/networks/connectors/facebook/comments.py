"""Comments under the posts and videos of a Page, and what the Page answers, hides, likes and deletes.

Source: developers.facebook.com, "Object comments", "Comment" and "Page moderation" of the Graph API, read 2026-11-29
(`filter=stream` lists the answers as well, `pages_read_user_content` shows who wrote, `pages_manage_engagement`
answers, hides, likes and deletes); zernio-sdk 1.4.1385, read on the same day, reads, hides, likes and deletes comments
of Pages for its customers.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from signalpost.networks.connectors.facebook.account import page_graph
from signalpost.networks.connectors.facebook.publish import explain
from signalpost.networks.contract import (
    Comments,
    NetworkSession,
    OutcomeUnknown,
    OutgoingReply,
    RemoteComment,
)
from signalpost.networks.listing import Listing
from signalpost.networks.meta.comments import comments_of_each, find_answer, instant, read_edge, thread_of
from signalpost.networks.meta.insights import delete_object
from signalpost.networks.replies import reply_as_comment, same_words
from signalpost.networks.responses import string, texts
from signalpost.networks.threads import PublicPart

_ALL: Final = {
    "fields": "id,message,created_time,from{id,name},parent{id},permalink_url,is_hidden,user_likes",
    "filter": "stream",
    "order": "reverse_chronological",
    "limit": "100",
}


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the comments under each post and the answers to them, newest first."""
    graph = page_graph(session)

    async def read(post_id: str) -> Comments:
        listing = Listing()
        await read_edge(graph, f"{post_id}/comments", _ALL, listing, partial(_comment, session.remote_id))
        return listing.comments()

    return await comments_of_each(remote_ids, read)


def _comment(page_id: str, item: Mapping[str, Any]) -> RemoteComment:
    author, parent = item.get("from") or {}, item.get("parent")
    parent_id = str(parent["id"]) if parent else None
    author_id = string(author.get("id")) or ""
    return RemoteComment(
        remote_id=item["id"],
        parent_id=parent_id,
        author_id=author_id,
        author_name=string(author.get("name")) or "",
        is_own=author_id == page_id,
        text=string(item.get("message")) or "",  # none: a picture or a sticker alone
        url=string(item.get("permalink_url")),
        posted_at=instant(item["created_time"]),
        hidden=item.get("is_hidden") is True,
        liked=item.get("user_likes") is True,
        reference={"thread": parent_id} if parent_id else {},
    )


async def _find(session: NetworkSession, answer: OutgoingReply, since: datetime) -> PublicPart | OutcomeUnknown | None:
    def is_answer(item: Mapping[str, Any]) -> bool:
        author = item.get("from")
        if not isinstance(author, dict) or author.get("id") != session.remote_id:
            return False
        return same_words(string(item.get("message")), answer.text) and instant(item["created_time"]) >= since

    return await find_answer(page_graph(session), f"{thread_of(answer)}/comments", _ALL, is_answer)


async def _send(session: NetworkSession, answer: OutgoingReply) -> PublicPart:
    form = {"message": answer.text}
    response = await page_graph(session).post(f"{thread_of(answer)}/comments", form, publishes=True)
    return {"id": texts(response, "id")[0]}


reply = reply_as_comment(explain, find=_find, send=_send)


async def hide_comment(
    session: NetworkSession,
    remote_id: str,
    _reference: Mapping[str, Any],
    hidden: bool,  # noqa: FBT001 - as the contract has it
) -> None:
    """Hide a comment from all but who wrote it and their friends, or show it again."""
    await page_graph(session).post(remote_id, {"is_hidden": hidden})


async def like_comment(
    session: NetworkSession,
    remote_id: str,
    _reference: Mapping[str, Any],
    liked: bool,  # noqa: FBT001 - as the contract has it
) -> None:
    """Like a comment as the Page, or take that back."""
    graph = page_graph(session)
    if liked:
        await graph.post(f"{remote_id}/likes", {})
    else:
        await graph.delete(f"{remote_id}/likes")


async def delete_comment(session: NetworkSession, remote_id: str, _reference: Mapping[str, Any]) -> None:
    """Delete a comment under a post of the Page, whoever wrote it."""
    await delete_object(page_graph(session), remote_id)
