"""Looking for a post whose answer was lost, among those of the user that changed since the intent."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.articles import key_of, searched_since, too_early
from signalpost.networks.connectors.wordpress.blocks import escaped, paragraphs_of
from signalpost.networks.connectors.wordpress.calls import call_api
from signalpost.networks.connectors.wordpress.facts import FACTS
from signalpost.networks.contract import OutcomeUnknown, Response
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored

LIST: Final = "GET /wp/v2/posts"
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX, DIGITS_MAX = 20, 20, 10_000_000, 18
_HIDDEN: Final = (
    "The user of the site may not edit all of their own posts, for example those that an editor has published. One of "
    "these was changed since then, and may be this one."
)


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is certainly not there."""
    return await _search(part, intended, searched_since(intended)) or too_early(part, intended)


async def _search(part: ThreadPart, intended: Mapping[str, Any], since: datetime) -> PublicPart | OutcomeUnknown | None:
    """Walk through the user's posts, the last changed first, back to the intent."""
    params = {
        "author": str(part.session.facts.get("userId")), "status": "publish,future,draft,pending,private",
        "orderby": "modified", "order": "desc", "per_page": str(PAGE_LENGTH),
    }  # fmt: skip
    for page in range(1, PAGES_MAX + 1):
        params["page"] = str(page)
        fields = {"context": "edit", "_fields": "id,link,title,content,modified_gmt"}
        response = await call_api(part.session, LIST, params=params | fields, bytes_max=PAGE_BYTES_MAX)
        posts = _listed(response)
        for post in posts:
            if _is_same(part, intended, post):
                return public_part(post, response)
        if _is_short(response, posts, page):
            ids = {post.get("id") for post in posts}
            readable = _listed(await call_api(part.session, LIST, params=params | {"_fields": "id,modified_gmt"}))
            if any(post.get("id") not in ids and _changed_at(post) >= since for post in readable):
                return OutcomeUnknown(message=_HIDDEN)
            posts = readable
        if any(_changed_at(post) < since for post in posts) or _is_last(response, posts, page):
            return None
    return OutcomeUnknown(message="The user has changed too many posts since then to find this one.")


def _is_short(response: Response, posts: Sequence[Any], page: int) -> bool:
    """Return whether posts of a page were left out: those that the user may read and not edit."""
    total = response.headers.get("X-WP-Total") or ""
    count = int(total) if total.isascii() and total.isdecimal() and len(total) < DIGITS_MAX else 0
    return len(posts) < min(PAGE_LENGTH, count - (page - 1) * PAGE_LENGTH)


def _is_last(response: Response, posts: Sequence[Any], page: int) -> bool:
    pages = response.headers.get("X-WP-TotalPages")
    return pages in {"0", str(page)} if pages else len(posts) < PAGE_LENGTH


def public_part(post: Mapping[str, Any], response: Response) -> PublicPart:
    """Return what is kept of a post.

    Raises:
        BadResponse: it has no id.
    """
    post_id = post.get("id")
    if type(post_id) is not int or not 0 < post_id < 1 << 63:
        raise BadResponse("the response names no post", status=response.status)
    return {"id": str(post_id), "url": string(post.get("link"))}


def _listed(response: Response) -> Sequence[Mapping[str, Any]]:
    items = response.json()
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise BadResponse("the response is not a list of posts", status=response.status)
    return items


def _changed_at(post: Mapping[str, Any]) -> datetime:
    try:
        return datetime.fromisoformat(str(post.get("modified_gmt"))).replace(tzinfo=UTC)
    except ValueError:
        raise BadResponse("a post of the response has no time") from None


def _is_same(part: ThreadPart, intended: Mapping[str, Any], post: Mapping[str, Any]) -> bool:
    content = _raw(post.get("content"))
    if key_of(part.outgoing) in content:
        return True
    if not is_restored(intended):
        return False
    texts = paragraphs_of(text_of_part(FACTS, part.outgoing, 0))
    same_title = single_spaced(_raw(post.get("title"))) == single_spaced(escaped(part.outgoing.title or ""))
    return same_title and all(text in content for text in texts)


def _raw(value: Any) -> str:
    raw = value.get("raw") if isinstance(value, dict) else None
    return raw if isinstance(raw, str) else ""
