"""Looking for a post among those of the blog, after an answer that was lost."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import unquote

from signalpost.kit.http import BadResponse
from signalpost.kit.unicode import nfc
from signalpost.networks.connectors.tumblr.blocks import content_of, said_by
from signalpost.networks.connectors.tumblr.calls import answer_of, blog_path, call
from signalpost.networks.contract import NetworkSession, OutcomeUnknown, Outgoing
from signalpost.networks.responses import single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart

EARLY_SECONDS: Final = 120  # younger than this, a missing post may still be on its way
EARLY_VIDEO_SECONDS: Final = 1_800  # the same for a video, which is listed once Tumblr has converted it
SKEW_SECONDS: Final = 60  # between Tumblr's clock and ours
PAGE_LENGTH: Final = 20
PAGES_MAX: Final = 55  # the queue of a blog may have 1,000 posts
PAGE_BYTES_MAX: Final = 20_000_000
ID_DIGITS_MAX: Final = 20  # of 64 bits
_LISTS: Final[Mapping[str, Sequence[str]]] = {"draft": ("posts/draft",), "queue": ("posts/queue", "posts")}
Post = Mapping[str, Any]


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is certainly not there."""
    at, outgoing = datetime.fromisoformat(intended["at"]), part.outgoing
    for path in _LISTS.get(str(outgoing.options.get("status")), ("posts",)):
        result = await _search(part, path, at - timedelta(seconds=SKEW_SECONDS))
        if result is not None:
            return result
    has_video = any(media.kind == "video" for media in outgoing.media)
    seconds = EARLY_VIDEO_SECONDS if has_video else EARLY_SECONDS
    left = at + timedelta(seconds=seconds) - part.session.now()
    if left > timedelta(0):
        message = "It is too early to tell whether Tumblr has made the post."
        return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())
    if outgoing.options.get("status") == "private":
        return OutcomeUnknown(message="Tumblr does not promise to list private posts: look whether the blog has it.")
    return None


async def _search(part: ThreadPart, path: str, since: datetime) -> PublicPart | OutcomeUnknown | None:
    """Walk through a list, the newest first, back to the intent; the queue, which is in its own order, to its end."""
    words, resembles = _words(content_of(part.outgoing)), False
    query = {"npf": "true", "limit": str(PAGE_LENGTH)}
    for page in range(PAGES_MAX):
        posts = await _page(part.session, path, query)
        recent = [post for post in posts if path == "posts/queue" or _made_at(post) >= since]
        for post in recent:
            content = _content(post)
            if _words(content) == words:
                if _is_same(part.outgoing, content):
                    return public_part(post)
                resembles = True
        if not recent:  # a page with a pinned post that is older has others, too
            break
        query |= {"before_id": public_part(posts[-1])["id"]} if path == "posts/draft" else {
            "offset": str((page + 1) * PAGE_LENGTH)
        }  # fmt: skip
    else:
        return OutcomeUnknown(message="The blog has too many posts to find this one.")
    if resembles:
        return OutcomeUnknown(message="The blog has a new post with these words, but with another link or other files.")
    return None


async def _page(session: NetworkSession, path: str, query: Mapping[str, str]) -> Sequence[Post]:
    response = await call(session, "GET", blog_path(session, path), params=query, bytes_max=PAGE_BYTES_MAX)
    posts = answer_of(response).get("posts")
    if not isinstance(posts, list):
        raise BadResponse("the response is not a list of posts", status=response.status)
    return [post for post in posts if isinstance(post, dict)]


def public_part(post: Post) -> PublicPart:
    """Return what is kept of a post.

    Raises:
        BadResponse: it has no id.
    """
    number = post.get("id")
    post_id = string(post.get("id_string")) or string(number) or (str(number) if type(number) is int else "")
    if not post_id.isdecimal() or len(post_id) > ID_DIGITS_MAX:
        raise BadResponse("the response names no post")
    return {"id": post_id}


def _made_at(post: Post) -> datetime:
    """Return when a post was made.

    Raises:
        BadResponse: it does not say so; without the time nothing can be ruled out.
    """
    timestamp = post.get("timestamp")
    try:
        return datetime.fromtimestamp(float(str(timestamp)), UTC)
    except (ValueError, OverflowError, OSError):
        raise BadResponse("a post of the response has no time") from None


def _content(post: Post) -> list[Mapping[str, Any]]:
    content = post.get("content")
    if not isinstance(content, list):
        raise BadResponse("a post of the response has no content")
    return [block for block in content if isinstance(block, dict)]


def _words(content: Sequence[Mapping[str, Any]]) -> str:
    return single_spaced(nfc(said_by(content)))


def _is_same(outgoing: Outgoing, content: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a post with the same words has the same kinds of files, and the link."""
    kinds = [block.get("type") for block in content if block.get("type") not in {"text", "link"}]
    expected = ["image" if media.kind == "gif" else media.kind for media in outgoing.media]
    links = [unquote(str(block.get("url"))) for block in content if block.get("type") == "link"]
    linked = any(unquote(outgoing.link) in link for link in links) if outgoing.link else not links
    return kinds == expected and linked
