"""Comments of a site's members under its posts, and what the account hides and deletes of them.

Source: the Admin API of Ghost 6.65 (its routes, the list of what integrations may call, and its service of comments),
read 2026-11-30 and run by `tests/networks/test_ghost_server.py`. An answer would have to be written by a member of the
site, which an account is not; so there is none.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.ghost.calls import call_api
from signalpost.networks.contract import ApiError, Comments, NetworkSession, RemoteComment
from signalpost.networks.listing import read_pages
from signalpost.networks.plain_text import plain_text
from signalpost.networks.responses import members, string

_PAGE: Final = 100
_OBJECT_ID: Final = 24
"""Characters of what Ghost calls anything by."""


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Read the comments on each post, also those that are hidden."""
    return {post_id: await _under(session, post_id) for post_id in remote_ids}


async def _under(session: NetworkSession, post_id: str) -> Comments | None:
    async def read_page(page: int) -> tuple[Any, bool]:
        params = {"filter": f"post_id:'{_id(post_id)}'", "order": "created_at desc", "limit": str(_PAGE)}
        answer = members(await call_api(session, "GET /comments/", params={**params, "page": str(page)}))
        entries = answer.get("comments")
        if isinstance(entries, list):
            entries = [entry for entry in entries if _is_there(entry)]
        return entries, _has_next_page(answer)

    listed = await read_pages(read_page, _comment)
    return listed if listed.items or await _has_post(session, post_id) else None


def _is_there(entry: Any) -> bool:
    """Whether an entry is to be read: a deleted comment stays in the list without its text."""
    return not isinstance(entry, dict) or entry.get("status") != "deleted"


def _has_next_page(answer: Mapping[str, Any]) -> bool:
    meta = answer.get("meta")
    pagination = meta.get("pagination") if isinstance(meta, dict) else None
    return isinstance(pagination.get("next") if isinstance(pagination, dict) else None, int)


async def _has_post(session: NetworkSession, post_id: str) -> bool:
    """Return whether a post exists; of one that does not, Ghost lists no comments."""
    try:
        await call_api(session, f"GET /posts/{post_id}/", params={"fields": "id"})
    except ApiError as error:
        if error.response.status != 404:
            raise
        return False
    return True


def _comment(item: Mapping[str, Any]) -> RemoteComment:
    member = item.get("member")
    member = member if isinstance(member, dict) else {}
    edited = string(item.get("edited_at"))
    return RemoteComment(
        remote_id=_id(item["id"]),
        parent_id=_id_or_none(item.get("in_reply_to_id")) or _id_or_none(item.get("parent_id")),
        author_id=string(member.get("id")) or "",  # of a member who left, Ghost keeps nothing
        author_name=string(member.get("name")) or "",
        author_avatar_url=string(member.get("avatar_image")),
        text=plain_text(str(item.get("html") or "")),
        posted_at=datetime.fromisoformat(item["created_at"]),
        edited_at=datetime.fromisoformat(edited) if edited else None,
        hidden=item.get("status") == "hidden",
    )


def _id(value: Any) -> str:
    if not isinstance(value, str) or len(value) != _OBJECT_ID or not value.isalnum():
        raise BadResponse("the response has no id")
    return value


def _id_or_none(value: Any) -> str | None:
    return None if value is None else _id(value)


async def hide_comment(
    session: NetworkSession,
    remote_id: str,
    _reference: Mapping[str, Any],
    hidden: bool,  # noqa: FBT001 - as the contract has it
) -> None:
    """Hide a comment, or publish it again."""
    await _set_status(session, remote_id, "hidden" if hidden else "published")


async def delete_comment(session: NetworkSession, remote_id: str, _reference: Mapping[str, Any]) -> None:
    """Delete a comment; Ghost shows that there was one if it has answers."""
    try:
        await _set_status(session, remote_id, "deleted")
    except ApiError as error:
        if error.response.status != 404:
            raise


async def _set_status(session: NetworkSession, remote_id: str, status: str) -> None:
    body = {"comments": [{"id": _id(remote_id), "status": status}]}
    await call_api(session, f"PUT /comments/{remote_id}/", json=body)
