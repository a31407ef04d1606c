"""Replies to the account's posts, which its server asks the network for, and answers to them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.connectors.bluesky.calls import call
from signalpost.networks.connectors.bluesky.publish import publish
from signalpost.networks.connectors.bluesky.record import COLLECTION
from signalpost.networks.contract import ApiError, Comments, NetworkSession, OutgoingReply, RemoteComment, Response
from signalpost.networks.contract.comments import LISTED_MAX
from signalpost.networks.replies import ReplyPost, reply_as_part
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart

_DEPTH: Final = 20
"""Levels of replies that are read; the lexicon allows 1,000."""
_BYTES_MAX: Final = 8_000_000


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the thread under each post."""
    listed: dict[str, Comments | None] = {}
    for uri in remote_ids:
        query = {"uri": uri, "depth": str(_DEPTH), "parentHeight": "0"}
        try:
            response = await call(session, "GET", "app.bsky.feed.getPostThread", params=query, bytes_max=_BYTES_MAX)
        except ApiError as error:
            if members(error.response).get("error") != "NotFound":
                raise
            listed[uri] = None
            continue
        listed[uri] = await in_thread(_read, response, uri, session.remote_id)
    return listed


def _read(response: Response, uri: str, own_did: str) -> Comments:
    thread = members(response).get("thread")
    if not isinstance(thread, dict) or not isinstance(thread.get("post"), dict):
        raise BadResponse("the response is not the thread of a post", status=response.status)
    items: list[RemoteComment] = []
    for node, parent_uri in _below(thread):
        if len(items) >= LISTED_MAX:
            return Comments(items=items)
        try:
            comment = _comment(node, uri, parent_uri, own_did)
        except (BadResponse, ValueError, KeyError, TypeError, AttributeError):
            continue  # one that is malformed; the others are not
        items.append(comment)
    return Comments(items=items, complete=True)


def _below(thread: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the posts below one, level by level, each with the address of what it replies to."""
    level: list[Mapping[str, Any]] = [thread]
    while level:
        deeper: list[Mapping[str, Any]] = []
        for node in level:
            uri, replies = node["post"].get("uri"), node.get("replies")
            for reply_node in replies if isinstance(replies, list) else ():
                # One that is blocked or was deleted has no post.
                if isinstance(reply_node, dict) and isinstance(reply_node.get("post"), dict):
                    yield reply_node["post"], uri if isinstance(uri, str) else ""
                    deeper.append(reply_node)
        level = deeper


def _comment(post: Mapping[str, Any], root_uri: str, parent_uri: str, own_did: str) -> RemoteComment:
    author, record = post["author"], post["record"]
    did, handle = str(author["did"]), str(author["handle"])
    viewer = post.get("viewer")
    reply_to = record["reply"]
    return RemoteComment(
        remote_id=post["uri"],
        parent_id=None if parent_uri == root_uri else parent_uri,
        author_id=did,
        author_name=string(author.get("displayName")) or handle,
        author_handle=handle,
        author_avatar_url=string(author.get("avatar")),
        author_url=f"https://bsky.app/profile/{did}",
        is_own=did == own_did,
        text=record["text"],
        url=address_of(post["uri"]),
        posted_at=datetime.fromisoformat(post["indexedAt"]),
        liked=isinstance(viewer, dict) and isinstance(viewer.get("like"), str),
        reference={"cid": post["cid"], "root": {"id": reply_to["root"]["uri"], "cid": reply_to["root"]["cid"]}},
    )


def address_of(uri: str) -> str:
    """Return the address of a post for people."""
    did, _, rkey = uri.removeprefix("at://").partition(f"/{COLLECTION}/")
    return f"https://bsky.app/profile/{did}/post/{rkey}"


def _to_post(reply: OutgoingReply) -> ReplyPost:
    """Reply in the thread of the post. Both records are named by their versions, which came with the comment."""
    return ReplyPost(
        before=(reply.reference["root"], {"id": reply.comment_id, "cid": reply.reference["cid"]}), text=reply.text
    )


def _url(part: PublicPart) -> str:
    return address_of(part["id"])


reply = reply_as_part(publish, _to_post, _url)
