"""Comments under the posts of an account, and what the account answers, hides and deletes.

Source: developers.facebook.com, "Comment moderation", "IG Comment" and "IG Comment replies" of the Instagram Platform,
read 2026-11-29 (50 comments a page; answers to answers stand below the comment; hidden comments take no answer);
zernio-sdk 1.4.1385, read on the same day, reads, answers, hides and deletes them for its customers, and likes them for
apps that Instagram has selected.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from signalpost.networks.connectors.instagram.account import graph_of
from signalpost.networks.connectors.instagram.publish import explain
from signalpost.networks.contract import (
    Comments,
    NetworkSession,
    OutcomeUnknown,
    OutgoingReply,
    RemoteComment,
)
from signalpost.networks.listing import Listing
from signalpost.networks.meta.comments import comments_of_each, find_answer, instant, read_edge, thread_of
from signalpost.networks.meta.graph import Graph, cursor
from signalpost.networks.meta.insights import delete_object, nested
from signalpost.networks.replies import reply_as_comment, same_words
from signalpost.networks.responses import string, texts
from signalpost.networks.threads import PublicPart

_FIELDS: Final = "id,text,timestamp,username,from{id,username},hidden"
_REPLIES: Final = {"fields": _FIELDS, "limit": "50"}
_COMMENTS: Final = {"fields": f"{_FIELDS},replies.limit(50){{{_FIELDS}}}", "limit": "50"}
_LONG_MAX: Final = 20
"""Comments of a post whose answers are read further than their first page."""


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the comments under each post, and the answers to them."""
    return await comments_of_each(remote_ids, partial(_under, session, graph_of(session)))


async def _under(session: NetworkSession, graph: Graph, media_id: str) -> Comments:
    listing, answered = Listing(), list[Mapping[str, Any]]()

    def read(item: Mapping[str, Any]) -> RemoteComment:
        comment = _comment(session, None, item)
        answered.append(item)
        return comment

    await read_edge(graph, f"{media_id}/comments", _COMMENTS, listing, read)
    long = 0
    for item in answered:
        make, replies = partial(_comment, session, str(item["id"])), item.get("replies")
        after = cursor(replies) if isinstance(replies, dict) else None
        listing.add(nested(item, "replies"), make)
        if after is not None and long < _LONG_MAX:
            long += 1
            await read_edge(graph, f"{item['id']}/replies", {**_REPLIES, "after": after}, listing, make)
        elif after is not None:
            listing.stop()
    return listing.comments()


def _comment(session: NetworkSession, parent_id: str | None, item: Mapping[str, Any]) -> RemoteComment:
    author = item.get("from") or {}
    name = string(item.get("username")) or string(author.get("username")) or ""
    return RemoteComment(
        remote_id=item["id"],
        parent_id=parent_id,
        author_id=string(author.get("id")) or name,
        author_name=name,
        author_handle=name or None,
        author_url=f"https://www.instagram.com/{name}/" if name else None,
        is_own=_is_own(session, item),
        text=string(item.get("text")) or "",
        posted_at=instant(item["timestamp"]),
        hidden=item.get("hidden") is True,
        reference={"thread": parent_id} if parent_id else {},
    )


def _is_own(session: NetworkSession, item: Mapping[str, Any]) -> bool:
    author = item.get("from")
    author = author if isinstance(author, dict) else {}
    name = string(item.get("username")) or string(author.get("username")) or ""
    return name.lower() == session.username.lower() or author.get("id") == session.remote_id


async def _find(session: NetworkSession, answer: OutgoingReply, since: datetime) -> PublicPart | OutcomeUnknown | None:
    def is_answer(item: Mapping[str, Any]) -> bool:
        is_same = _is_own(session, item) and same_words(string(item.get("text")), answer.text)
        return is_same and instant(item["timestamp"]) >= since

    return await find_answer(graph_of(session), f"{thread_of(answer)}/replies", _REPLIES, is_answer)


async def _send(session: NetworkSession, answer: OutgoingReply) -> PublicPart:
    form = {"message": answer.text}
    response = await graph_of(session).post(f"{thread_of(answer)}/replies", form, publishes=True)
    return {"id": texts(response, "id")[0]}


reply = reply_as_comment(explain, find=_find, send=_send)


async def hide_comment(
    session: NetworkSession,
    remote_id: str,
    _reference: Mapping[str, Any],
    hidden: bool,  # noqa: FBT001 - as the contract has it
) -> None:
    """Hide a comment from all but who wrote it, or show it again."""
    await graph_of(session).post(remote_id, {"hide": hidden})


async def delete_comment(session: NetworkSession, remote_id: str, _reference: Mapping[str, Any]) -> None:
    """Delete a comment under a post of the account, whoever wrote it."""
    await delete_object(graph_of(session), remote_id)
