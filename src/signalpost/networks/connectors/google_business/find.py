"""Looking for a post whose answer was lost, among those of the location."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.google_business.calls import call
from signalpost.networks.connectors.google_business.local_post import content_of, is_same, resembles
from signalpost.networks.contract import NetworkSession, OutcomeUnknown
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored

EARLY_SECONDS: Final = 120  # younger than this, a missing post may still be on its way
SKEW_SECONDS: Final = 60  # between Google's clock and ours
REJECTED: Final = "rejected"
"""In place of the post that Google rejected. Nobody sees that one, so it does not count as public: as long as the
content is the same it stays rejected, and other content is published as a new post."""
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 20, 100, 5_000_000


def posts_path(session: NetworkSession) -> str:
    """Return where the posts of the location are; the account of it is the one that it was last connected through."""
    return f"/v4/{session.facts['account']}/locations/{session.remote_id}/localPosts"


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None if it is certainly not there."""
    if intended.get(REJECTED):
        return None
    content = content_of(part.outgoing)
    if is_restored(intended) and content.keys() == {"topicType"}:
        return OutcomeUnknown(message="Nothing but its photo identifies the post, so only the profile shows it.")
    at = datetime.fromisoformat(intended["at"])
    result = await _search(part, content, at - timedelta(seconds=SKEW_SECONDS))
    left = at + timedelta(seconds=EARLY_SECONDS) - part.session.now()
    if result is None and left > timedelta(0):
        message = "It is too early to tell whether Google has made the post."
        return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())
    return result


async def _search(part: ThreadPart, content: Mapping[str, Any], since: datetime) -> PublicPart | OutcomeUnknown | None:
    """Look through all posts of the location that are so young, since Google promises no order."""
    query, similar = {"pageSize": str(PAGE_LENGTH)}, False
    for _ in range(PAGES_MAX):
        path = posts_path(part.session)
        response = await call(part.session, "GET", path, params=query, bytes_max=PAGE_BYTES_MAX)
        page = members(response)
        for post in _posts(page, response.status):
            if _created_at(post) < since:
                continue
            if is_same(post, content) and bool(post.get("media")) == bool(part.content.media):
                return public_part(post)
            similar |= resembles(post, content)
        token = string(page.get("nextPageToken"))
        if token is None:
            break
        query["pageToken"] = token
    else:
        return OutcomeUnknown(message="The location has too many posts to be certain that this one is not among them.")
    if similar:
        return OutcomeUnknown(message="The location has a new post that is similar, but not equal, to this one.")
    return None


def public_part(post: Mapping[str, Any]) -> PublicPart:
    """Return what is kept of a post.

    Raises:
        BadResponse: it has no name.
    """
    post_id = (string(post.get("name")) or "").rpartition("/localPosts/")[2]
    if not post_id or "/" in post_id:
        raise BadResponse("the response names no post")
    return {"id": post_id, "url": string(post.get("searchUrl"))}


def _posts(page: Mapping[str, Any], status: int) -> list[Mapping[str, Any]]:
    """Return the posts of a page; Google leaves out a list that is empty.

    Raises:
        BadResponse: it is not a page.
    """
    posts = page.get("localPosts", [])
    if not isinstance(posts, list):
        raise BadResponse("the response has no posts", status=status)
    return [post for post in posts if isinstance(post, dict)]


def _created_at(post: Mapping[str, Any]) -> datetime:
    """Return when a post was made.

    Raises:
        BadResponse: it does not say so; without the time nothing can be ruled out.
    """
    text = string(post.get("createTime")) or ""
    try:  # seconds may have nine digits; the whole ones are enough
        return datetime.fromisoformat(f"{text[:19]}+00:00")
    except ValueError:
        raise BadResponse("a post of the response has no time") from None
