"""Replies to the account's posts, as far as its server knows them, and answers to them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from signalpost.kit.http import BadResponse
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.connectors.mastodon.calls import call
from signalpost.networks.connectors.mastodon.publish import publish
from signalpost.networks.contract import Comments, NetworkSession, OutgoingReply, RemoteComment, Response
from signalpost.networks.contract.comments import LISTED_MAX
from signalpost.networks.plain_text import plain_text
from signalpost.networks.replies import ReplyPost, addressed, reply_as_part

_BYTES_MAX: Final = 8_000_000
"""4,096 posts, as many as a server returns to a signed-in account, of 2 KB each."""
_PUBLIC: Final = frozenset({"public", "unlisted", "private"})  # `direct` is a message between people, not a comment


class _Author(msgspec.Struct):
    id: str = ""
    acct: str = ""
    display_name: str = ""
    avatar: str | None = None
    url: str | None = None


class _Status(msgspec.Struct):
    id: str
    created_at: str
    account: _Author
    in_reply_to_id: str | None = None
    edited_at: str | None = None
    content: str | None = None
    url: str | None = None
    visibility: str = "public"
    favourited: bool = False


class _Context(msgspec.Struct):
    descendants: list[_Status]


_context = msgspec.json.Decoder(_Context)


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the replies to each post, and the replies to these."""
    listed: dict[str, Comments | None] = {}
    for post_id in remote_ids:
        path = f"/api/v1/statuses/{post_id}/context"
        response = await call(session, "GET", path, expect=(200, 404), bytes_max=_BYTES_MAX)
        own_id = session.remote_id.rpartition("@")[0]
        listed[post_id] = None if response.status == 404 else await in_thread(_read, response, post_id, own_id)
    return listed


def _read(response: Response, post_id: str, own_id: str) -> Comments:
    try:
        statuses = _context.decode(response.body).descendants
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadResponse("the response is not the context of a post", status=response.status) from None
    items = []
    for status in statuses[:LISTED_MAX]:
        if status.visibility not in _PUBLIC:
            continue
        try:
            items.append(_comment(status, post_id, own_id))
        except (BadResponse, ValueError):
            continue  # one that cannot be stored; the others can
    return Comments(items=items, complete=len(statuses) <= LISTED_MAX)


def _comment(status: _Status, post_id: str, own_id: str) -> RemoteComment:
    author = status.account
    return RemoteComment(
        remote_id=status.id,
        parent_id=None if status.in_reply_to_id == post_id else status.in_reply_to_id,
        author_id=author.id,
        author_name=author.display_name,
        author_handle=author.acct,
        author_avatar_url=author.avatar,
        author_url=author.url,
        is_own=author.id == own_id,
        text=plain_text(status.content or ""),
        url=status.url,
        posted_at=datetime.fromisoformat(status.created_at),
        edited_at=None if status.edited_at is None else datetime.fromisoformat(status.edited_at),
        liked=status.favourited,
        reference={"visibility": status.visibility},
    )


def _to_post(reply: OutgoingReply) -> ReplyPost:
    text = addressed(reply.text, reply.author_handle)
    visibility = reply.reference.get("visibility")
    options = {"visibility": visibility} if visibility in _PUBLIC else {}
    return ReplyPost(before=({"id": reply.comment_id},), text=text, options=options)


reply = reply_as_part(publish, _to_post)
