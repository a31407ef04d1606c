"""Comments under the videos of a channel, and what the channel answers, holds back and removes.

Source: developers.google.com, `commentThreads.list`, `comments.list`, `insert`, `setModerationStatus` and `delete` of
the YouTube Data API, read 2026-11-29 (100 a page; one unit of the quota to read, 50 to write; what others wrote is
removed by rejecting it, which cannot be taken back; no call likes a comment); pyyoutube and zernio-sdk 1.4.1385,
read on the same day, answer and moderate by the same calls.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from signalpost.networks.connectors.youtube.calls import COMMENT, call, explain, reason_of
from signalpost.networks.contract import (
    ApiError,
    Comments,
    NetworkSession,
    OutcomeUnknown,
    OutgoingReply,
    RemoteComment,
)
from signalpost.networks.listing import Listing
from signalpost.networks.replies import reply_as_comment, same_words
from signalpost.networks.responses import members, string, texts
from signalpost.networks.threads import PublicPart

_PAGES_MAX: Final = 10
_LONG_MAX: Final = 20
"""Threads of a video whose answers are read further than those that come with it."""
_BYTES_MAX: Final = 8_000_000
_HELD: Final = "heldForReview"
_SETTLES_SECONDS: Final = 600.0
"""YouTube lists a new comment within seconds, and sometimes only after minutes."""
_GONE: Final = frozenset({"commentNotFound", "processingFailure", "forbidden"})
_MANY: Final = "The channel has answered too much below this comment since then to find this answer."


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the comments under each video, and those that wait for a review."""
    listed: dict[str, Comments | None] = {}
    for video_id in remote_ids:
        try:
            listed[video_id] = await _under(session, video_id)
        except ApiError as error:
            reason = reason_of(error.response)
            if reason not in {"videoNotFound", "commentsDisabled"}:
                raise
            listed[video_id] = None if reason == "videoNotFound" else Comments(complete=True)
    return listed


async def _under(session: NetworkSession, video_id: str) -> Comments:
    listing, threads = Listing(), list[Mapping[str, Any]]()
    query = {"part": "snippet,replies", "videoId": video_id, "order": "time"}

    def of_thread(item: Mapping[str, Any]) -> RemoteComment:
        comment = _comment(session, None, item["snippet"]["topLevelComment"])
        threads.append(item)
        return comment

    await _read(session, "commentThreads", query, lambda items: listing.add(items, of_thread), listing.stop)
    long = 0
    for thread in threads:
        answers, total = _answers(thread), thread["snippet"].get("totalReplyCount")
        make = partial(_comment, session, str(thread["snippet"]["topLevelComment"]["id"]))
        if type(total) is int and total > len(answers) and long >= _LONG_MAX:
            listing.stop()
        elif type(total) is int and total > len(answers):
            long += 1
            await _read_below(session, thread["snippet"]["topLevelComment"]["id"], listing, make)
            continue
        listing.add(answers, make)
    await _read_held(session, query, listing)
    return listing.comments()


async def _read_below(
    session: NetworkSession, thread_id: str, listing: Listing, make: Callable[[Any], RemoteComment]
) -> None:
    query = {"part": "snippet", "parentId": thread_id}
    await _read(session, "comments", query, lambda items: listing.add(items, make), listing.stop)


async def _read_held(session: NetworkSession, query: Mapping[str, str], listing: Listing) -> None:
    """Add what waits for a review: of a thread, it may be the comment on top or an answer."""

    def add(threads: Sequence[Any]) -> bool:
        added = False
        for thread in threads:
            top = thread["snippet"]["topLevelComment"]
            added |= listing.add(_held([top]), partial(_comment, session, None))
            added |= listing.add(_held(_answers(thread)), partial(_comment, session, str(top["id"])))
        return added

    await _read(session, "commentThreads", {**query, "moderationStatus": _HELD}, add, listing.stop)


def _held(items: Sequence[Any]) -> list[Any]:
    return [item for item in items if item["snippet"].get("moderationStatus") == _HELD]


def _answers(thread: Mapping[str, Any]) -> list[Any]:
    replies = thread.get("replies")
    listed = replies.get("comments") if isinstance(replies, dict) else None
    return listed if isinstance(listed, list) else []


async def _read(
    session: NetworkSession,
    resource: str,
    query: Mapping[str, str],
    add: Callable[[Sequence[Any]], bool],
    stop: Callable[[], None],
) -> None:
    """Give the pages of a list to `add`, until it says that there is nothing new; `stop` if there is more."""
    params = {**query, "maxResults": "100", "textFormat": "plainText"}
    for _ in range(_PAGES_MAX):
        response = await call(session, "GET", f"/youtube/v3/{resource}?{urlencode(params)}", bytes_max=_BYTES_MAX)
        body = members(response)
        items, token = body.get("items"), string(body.get("nextPageToken"))
        more = add([item for item in items if _is_usable(item)] if isinstance(items, list) else ())
        if token is None:
            return
        if not more:
            break
        params["pageToken"] = token
    stop()


def _is_usable(item: Any) -> bool:
    """Return whether something is a comment, or a thread with one on top."""
    snippet = item.get("snippet") if isinstance(item, dict) else None
    if not isinstance(snippet, dict):
        return False
    top = snippet.get("topLevelComment")
    return top is None or (isinstance(top, dict) and isinstance(top.get("snippet"), dict) and "id" in top)


def _comment(session: NetworkSession, parent_id: str | None, item: Mapping[str, Any]) -> RemoteComment:
    snippet = item["snippet"]
    name, author_id = string(snippet.get("authorDisplayName")) or "", _author(item)
    edited = snippet.get("updatedAt")
    return RemoteComment(
        remote_id=item["id"],
        parent_id=parent_id,
        author_id=author_id or name,
        author_name=name.removeprefix("@"),
        author_handle=name.removeprefix("@") if name.startswith("@") else None,
        author_avatar_url=string(snippet.get("authorProfileImageUrl")),
        author_url=string(snippet.get("authorChannelUrl")),
        is_own=author_id == session.remote_id,
        text=_text(item),
        posted_at=datetime.fromisoformat(snippet["publishedAt"]),
        edited_at=datetime.fromisoformat(edited) if edited and edited != snippet["publishedAt"] else None,
        hidden=snippet.get("moderationStatus") == _HELD,
        liked=snippet.get("viewerRating") == "like",
        reference={"thread": parent_id} if parent_id else {},
    )


def _author(item: Mapping[str, Any]) -> str | None:
    channel = item["snippet"].get("authorChannelId")
    return string(channel.get("value")) if isinstance(channel, dict) else None


def _text(item: Mapping[str, Any]) -> str:
    snippet = item["snippet"]
    return string(snippet.get("textOriginal")) or string(snippet.get("textDisplay")) or ""


def _thread(answered: OutgoingReply) -> str:
    """Return the comment below which an answer is written: YouTube knows one level of them."""
    return string(answered.reference.get("thread")) or answered.comment_id


async def _find(session: NetworkSession, answer: OutgoingReply, since: datetime) -> PublicPart | OutcomeUnknown | None:
    existing: list[PublicPart] = []
    ended = [True]

    def look(items: Sequence[Any]) -> bool:
        for item in items:
            is_own = _author(item) == session.remote_id and same_words(_text(item), answer.text)
            if is_own and datetime.fromisoformat(item["snippet"]["publishedAt"]) >= since:
                existing.append({"id": str(item["id"]), "url": None})
        return not existing and bool(items)

    await _read(session, "comments", {"part": "snippet", "parentId": _thread(answer)}, look, ended.clear)
    if existing:
        return existing[0]
    return None if ended else OutcomeUnknown(message=_MANY)


async def _send(session: NetworkSession, answer: OutgoingReply) -> PublicPart:
    body = {"snippet": {"parentId": _thread(answer), "textOriginal": answer.text}}
    method, _, path = COMMENT.partition(" ")
    return {"id": texts(await call(session, method, path, json=body), "id")[0]}


reply = reply_as_comment(explain, find=_find, send=_send, settles_seconds=_SETTLES_SECONDS)


async def hide_comment(
    session: NetworkSession,
    remote_id: str,
    _reference: Mapping[str, Any],
    hidden: bool,  # noqa: FBT001 - as the contract has it
) -> None:
    """Hold a comment back for review, or publish it."""
    await _moderate(session, remote_id, _HELD if hidden else "published")


async def _moderate(session: NetworkSession, remote_id: str, status: str) -> None:
    query = urlencode({"id": remote_id, "moderationStatus": status})
    await call(session, "POST", f"/youtube/v3/comments/setModerationStatus?{query}", expect=(200, 204))


async def delete_comment(session: NetworkSession, remote_id: str, _reference: Mapping[str, Any]) -> None:
    """Delete what the channel wrote, and reject for ever what others wrote."""
    comment = await _read_one(session, remote_id)
    if comment is None:
        return
    try:
        if _author(comment) == session.remote_id:
            query = urlencode({"id": remote_id})
            await call(session, "DELETE", f"/youtube/v3/comments?{query}", expect=(200, 204))
        else:
            await _moderate(session, remote_id, "rejected")
    except ApiError as error:
        if reason_of(error.response) not in _GONE or await _read_one(session, remote_id) is not None:
            raise


async def _read_one(session: NetworkSession, remote_id: str) -> Mapping[str, Any] | None:
    query = urlencode({"part": "snippet", "id": remote_id})
    items = members(await call(session, "GET", f"/youtube/v3/comments?{query}")).get("items")
    return next((item for item in items if _is_usable(item)), None) if isinstance(items, list) else None
