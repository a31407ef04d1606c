"""Comments on the posts of a site, and what the user answers, holds back and deletes.

Source: the controller of comments of WordPress 6.8.12, which the tests run, and developer.wordpress.org/rest-api, read
2026-11-29. Who may not moderate comments sees those that are shown. The same answer twice is refused by WordPress.
"""

import html
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.wordpress.calls import COMMENT, call_api, code_of, explain
from signalpost.networks.contract import (
    ApiError,
    Comments,
    NetworkSession,
    OutcomeUnknown,
    OutgoingReply,
    RemoteComment,
    Response,
)
from signalpost.networks.listing import read_pages
from signalpost.networks.plain_text import plain_text
from signalpost.networks.replies import reply_as_comment
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart

_LIST: Final = "GET /wp/v2/comments"
_FIELDS: Final = "id,parent,author,author_name,author_url,author_avatar_urls,date_gmt,content,link,status"
_PAGE, _BYTES_MAX = 100, 10_000_000
_GONE: Final = frozenset({"rest_comment_invalid_id", "rest_already_trashed"})


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the comments on each post, also those that wait for a moderator if the user is one."""
    return {post_id: await _under(session, post_id) for post_id in remote_ids}


async def _under(session: NetworkSession, post_id: str) -> Comments | None:
    async def read_page(page: int) -> tuple[Any, bool]:
        response = await _listed(session, {"post": post_id, "page": str(page)})
        return response.json(), (response.headers.get("X-WP-TotalPages") or "0") not in {"0", str(page)}

    listed = await read_pages(read_page, partial(_comment, session))
    return listed if listed.items or await _is_there(session, post_id) else None


async def _is_there(session: NetworkSession, post_id: str) -> bool:
    """Return whether a post exists; of one that does not, WordPress lists no comments."""
    try:
        await call_api(session, f"GET /wp/v2/posts/{post_id}", params={"_fields": "id"})
    except ApiError as error:
        if code_of(error.response) != "rest_post_invalid_id":
            raise
        return False
    return True


async def _listed(session: NetworkSession, which: Mapping[str, str]) -> Response:
    """Return a page of comments, newest first; as a moderator sees them, or else as everybody does."""
    params = {**which, "per_page": str(_PAGE), "orderby": "id", "order": "desc", "_fields": _FIELDS}
    try:
        as_moderator = {**params, "context": "edit", "status": "all"}
        return await call_api(session, _LIST, params=as_moderator, bytes_max=_BYTES_MAX)
    except ApiError as error:
        if code_of(error.response) != "rest_forbidden_context":
            raise
    return await call_api(session, _LIST, params=params, bytes_max=_BYTES_MAX)


def _comment(session: NetworkSession, item: Mapping[str, Any]) -> RemoteComment:
    author_id, parent, avatars = item["author"], item["parent"], item.get("author_avatar_urls")
    return RemoteComment(
        remote_id=str(_id(item["id"])),
        parent_id=str(_id(parent)) if parent else None,
        author_id=str(author_id) if author_id else "",  # of visitors, WordPress knows a name alone
        author_name=plain_text(str(item.get("author_name") or "")),
        author_avatar_url=string(avatars.get("96")) if isinstance(avatars, dict) else None,
        author_url=string(item.get("author_url")),
        is_own=_is_own(session, item),
        text=_text(item),
        url=string(item.get("link")),
        posted_at=datetime.fromisoformat(item["date_gmt"]).replace(tzinfo=UTC),
        hidden=item.get("status") == "hold",
    )


def _id(value: Any) -> int:
    if type(value) is not int or not 0 < value < 1 << 63:
        raise BadResponse("the response has no id")
    return value


def _is_own(session: NetworkSession, item: Mapping[str, Any]) -> bool:
    return bool(item.get("author")) and item.get("author") == session.facts.get("userId")


def _text(item: Mapping[str, Any]) -> str:
    """Return what was written; WordPress makes lines to paragraphs, and gives the source to moderators alone."""
    content = item.get("content")
    content = content if isinstance(content, dict) else {}
    if isinstance(raw := content.get("raw"), str):
        return plain_text(raw)
    return plain_text(str(content.get("rendered") or "").replace("\n", ""))


def _letters(text: str) -> str:
    """Return a text without what WordPress changes when it shows it: white space, quotes, dashes, smileys."""
    return "".join(char for char in text if char.isalnum())


async def _find(session: NetworkSession, answer: OutgoingReply, _since: datetime) -> PublicPart | OutcomeUnknown | None:
    """Look for the answer below the comment. WordPress keeps no two that are the same, so its time does not matter."""
    which = {"post": answer.post_id, "parent": answer.comment_id, "author": str(session.facts.get("userId"))}
    items = (await _listed(session, which)).json()
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and _is_own(session, item) and _letters(_text(item)) == _letters(answer.text):
            return _public(item)
    return None


def _public(item: Mapping[str, Any]) -> PublicPart:
    return {"id": str(_id(item.get("id"))), "url": string(item.get("link"))}


async def _send(session: NetworkSession, answer: OutgoingReply) -> PublicPart:
    content = html.escape(answer.text, quote=False)
    body = {"post": int(answer.post_id), "parent": int(answer.comment_id), "content": content}
    try:
        response = await call_api(session, COMMENT, json=body, expect=(201,))
    except ApiError as error:
        existing = None
        if code_of(error.response) == "comment_duplicate":
            existing = await _find(session, answer, session.now())
        if not isinstance(existing, Mapping):
            raise
        return existing
    return _public(members(response))


reply = reply_as_comment(explain, find=_find, send=_send)


async def hide_comment(
    session: NetworkSession,
    remote_id: str,
    _reference: Mapping[str, Any],
    hidden: bool,  # noqa: FBT001 - as the contract has it
) -> None:
    """Hold a comment back for moderation, or approve it."""
    status = "hold" if hidden else "approved"
    try:
        await call_api(session, f"POST /wp/v2/comments/{remote_id}", json={"status": status})
    except ApiError as error:
        # WordPress says so as well of a comment that has this status already.
        if code_of(error.response) != "rest_comment_failed_edit":
            raise
        params = {"context": "edit", "_fields": "status"}
        current = await call_api(session, f"GET /wp/v2/comments/{remote_id}", params=params)
        if members(current).get("status") != status:
            raise


async def delete_comment(session: NetworkSession, remote_id: str, _reference: Mapping[str, Any]) -> None:
    """Move a comment to the trash; where a site has none, delete it."""
    call = f"DELETE /wp/v2/comments/{remote_id}"
    try:
        await call_api(session, call)
    except ApiError as error:
        code = code_of(error.response)
        if code == "rest_trash_not_supported":
            await call_api(session, call, params={"force": "true"})
        elif code not in _GONE:
            raise
