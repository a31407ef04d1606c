"""Looking for a post whose answer was lost, among those of the user that changed since the intent."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from signalpost.kit.http import BadResponse
from signalpost.networks.articles import key_of, paragraphs, searched_since, too_early
from signalpost.networks.connectors.wordpress.calls import call_api
from signalpost.networks.connectors.wordpress.facts import FACTS
from signalpost.networks.contract import OutcomeUnknown, Response
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored

PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 20, 20, 10_000_000


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is certainly not there."""
    return await _search(part, intended, searched_since(intended)) or too_early(part, intended)


async def _search(part: ThreadPart, intended: Mapping[str, Any], since: datetime) -> PublicPart | OutcomeUnknown | None:
    """Walk through the user's posts, the last changed first, back to the intent."""
    params = {
        "author": str(part.session.facts.get("userId")), "status": "publish,future,draft,pending,private",
        "orderby": "modified", "order": "desc", "per_page": str(PAGE_LENGTH), "context": "edit",
        "_fields": "id,link,title,content,modified_gmt",
    }  # fmt: skip
    for page in range(1, PAGES_MAX + 1):
        response = await call_api(
            part.session, "GET /wp/v2/posts", params=params | {"page": str(page)}, bytes_max=PAGE_BYTES_MAX
        )
        posts = _listed(response)
        for post in posts:
            if _changed_at(post) < since:
                return None
            if _is_same(part, intended, post):
                return public_part(post, response)
        if len(posts) < PAGE_LENGTH or response.headers.get("X-WP-TotalPages") == str(page):
            return None
    return OutcomeUnknown(message="The user has changed too many posts since then to find this one.")


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
    texts = [f"<p>{inner}</p>" for inner in paragraphs(text_of_part(FACTS, part.outgoing, 0))]
    same_title = single_spaced(_raw(post.get("title"))) == single_spaced(part.outgoing.title)
    return same_title and all(text in content for text in texts)


def _raw(value: Any) -> str:
    raw = value.get("raw") if isinstance(value, dict) else None
    return raw if isinstance(raw, str) else ""
