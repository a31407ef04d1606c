"""Looking for a post: by its id, as a draft by its key, and after a restore by its text."""

import html
import re
from collections.abc import Mapping
from datetime import UTC
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.articles import key_of, paragraphs, searched_since, too_early
from signalpost.networks.connectors.ghost.calls import answers_as_ghost, call_api
from signalpost.networks.connectors.ghost.facts import FACTS
from signalpost.networks.contract import ApiError, NetworkSession, OutcomeUnknown, Outgoing, Response
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored

PAGE_LENGTH: Final = 50
_TAG: Final = re.compile(r"<[^<>]*>")
Post = Mapping[str, Any]
_GONE: Final = "The post is not at the site any more: someone deleted it. Whether it was public, nobody can tell."


def slug_of_draft(outgoing: Outgoing) -> str:
    """Return the slug of a draft: its key."""
    return f"signalpost-{key_of(outgoing)}"


def is_done(post: Post, outgoing: Outgoing) -> bool:
    """Whether the call that publishes was carried out. A post that is to stay a draft got its own slug by it."""
    if post.get("status") != "draft":
        return True
    return outgoing.options.get("status") == "draft" and post.get("slug") != slug_of_draft(outgoing)


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is certainly not public.

    That is so while it is a draft: of two calls that publish it, Ghost carries out one.
    """
    if is_restored(intended):
        return await _search(part, intended) or too_early(part, intended)
    post = await read(part.session, str(intended.get("post")))
    if post is None:
        return OutcomeUnknown(message=_GONE)
    return public_part(post) if is_done(post, part.outgoing) else too_early(part, intended)


async def _search(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look through what changed at the site since an intent of which nothing but its time is known."""
    since = searched_since(intended).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    params = {
        "filter": f"updated_at:>'{since}'", "order": "updated_at desc", "limit": str(PAGE_LENGTH), "formats": "html",
    }  # fmt: skip
    posts = posts_of(await call_api(part.session, "GET /posts/", params=params))
    for post in posts:
        if is_done(post, part.outgoing) and _is_same(part, post):
            return public_part(post)
    if len(posts) < PAGE_LENGTH:
        return None
    return OutcomeUnknown(message="Too many posts of the site have changed since then to find this one.")


def _is_same(part: ThreadPart, post: Post) -> bool:
    """Whether a post has the title and the text. What is mailed is recognised by its title alone, to be safe."""
    if single_spaced(string(post.get("title"))) != single_spaced(part.outgoing.title):
        return False
    content = string(post.get("html")) or ""
    texts = map(_letters, paragraphs(text_of_part(FACTS, part.outgoing, 0)))
    return part.outgoing.options.get("newsletter") is not None or "".join(texts) in _letters(content)


def _letters(content: str) -> str:
    """Return what HTML says without its white space, which Ghost's editor changes, and its marks."""
    return "".join(html.unescape(_TAG.sub("", content)).split())


async def read(session: NetworkSession, post_id: str) -> Post | None:
    """Return a post by its id, or by `slug/` and its slug; None if there is none."""
    try:
        response = await call_api(session, f"GET /posts/{post_id}/")
    except ApiError as error:
        if error.response.status == 404 and answers_as_ghost(error.response):
            return None
        raise
    return only_post(response)


def only_post(response: Response) -> Post:
    """Return the post of a response.

    Raises:
        BadResponse: it has none.
    """
    posts = posts_of(response)
    if len(posts) != 1:
        raise BadResponse("the response is not one post", status=response.status)
    return posts[0]


def posts_of(response: Response) -> list[Post]:
    """Return the posts of a response.

    Raises:
        BadResponse: it has none, or one without what every post has.
    """
    posts = members(response).get("posts")
    if not isinstance(posts, list) or not all(_is_post(post) for post in posts):
        raise BadResponse("the response is not a list of posts", status=response.status)
    return posts


def _is_post(post: Any) -> bool:
    return isinstance(post, dict) and all(string(post.get(name)) for name in ("id", "status", "slug", "updated_at"))


def public_part(post: Post) -> PublicPart:
    """Return what is kept of a post."""
    return {"id": post["id"], "url": string(post.get("url"))}
