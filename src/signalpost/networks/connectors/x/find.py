"""Finding a post whose create call got no response, among the account's own posts."""

import html
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
import regex

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.kit.unicode import nfc
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.connectors.x.calls import call
from signalpost.networks.contract import NetworkSession, OutcomeUnknown, Response

TOO_EARLY_SECONDS = 60  # younger than this, a missing post may still be on its way, or not listed yet
SKEW_SECONDS = 60  # between the clock of X and ours
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 5, 100, 2_000_000
_FIELDS = "created_at,entities,referenced_tweets,attachments,note_tweet"
_OWN_MEDIA = regex.compile(r"https?://(?:x|twitter)\.com/[^/\s]+/status/\d+/(?:photo|video)/\d+")
_SCHEME = regex.compile(r"https?://", regex.IGNORECASE)
_MENTIONS = regex.compile(r"^(?:@\w+\s+)+")


class _Url(msgspec.Struct):
    url: str = ""
    expanded_url: str = ""


class _Entities(msgspec.Struct):
    urls: list[_Url] = []


class _Note(msgspec.Struct):
    """The whole text of a long post."""

    text: str = ""
    entities: _Entities = msgspec.field(default_factory=_Entities)


class _Reference(msgspec.Struct):
    type: str = ""
    id: str = ""


class _Attachments(msgspec.Struct):
    media_keys: list[str] = []


class Post(msgspec.Struct):
    """One of the account's posts, as far as it is read."""

    id: str
    text: str = ""
    created_at: str = ""
    entities: _Entities = msgspec.field(default_factory=_Entities)
    note_tweet: _Note | None = None
    referenced_tweets: list[_Reference] = []
    attachments: _Attachments = msgspec.field(default_factory=_Attachments)


class _Meta(msgspec.Struct):
    next_token: str | None = None


class _Page(msgspec.Struct):
    meta: _Meta  # an empty page has this alone
    data: list[Post] = []


_pages = msgspec.json.Decoder(_Page)


async def find_post(
    session: NetworkSession, intended: Mapping[str, Any], *, text: str, media_count: int, parent_id: str | None
) -> str | OutcomeUnknown | None:
    """Return the id of an intended post; None when it is certainly not there."""
    since = datetime.fromisoformat(intended["at"])
    left = since + timedelta(seconds=TOO_EARLY_SECONDS) - session.now()
    query = {
        "start_time": clock.wire(since - timedelta(seconds=SKEW_SECONDS)),
        "max_results": str(PAGE_LENGTH),
        "tweet.fields": _FIELDS,
    }
    for _ in range(PAGES_MAX):
        response = await call(
            session, "GET", f"/2/users/{session.remote_id}/tweets", params=query, bytes_max=PAGE_BYTES_MAX
        )
        post_id, token = await in_thread(_search, response, text, media_count, parent_id)
        if post_id is not None:
            return post_id
        if token is None:
            break
        query["pagination_token"] = token
    else:
        return OutcomeUnknown(message="The account has published too many posts since then to find this one.")
    if left > timedelta(0):
        message = "It is too early to tell whether X accepted the post."
        return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())
    return None


def _search(response: Response, text: str, media_count: int, parent_id: str | None) -> tuple[str | None, str | None]:
    """Return the id of the post on this page, if it is there, and the token of the next page."""
    try:
        page = _pages.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadResponse("the response is not a list of posts", status=response.status) from None
    canonical = _canonical(text)
    for post in page.data:
        if (
            not post.created_at
        ):  # X answers with 200 and leaves out what it does not know by the name that was asked for
            raise BadResponse("the posts lack members that were asked for", status=response.status)
        parents = [reference.id for reference in post.referenced_tweets if reference.type == "replied_to"]
        same = len(post.attachments.media_keys) == media_count and parents == ([parent_id] if parent_id else [])
        if same and _canonical(_written_text(post)) == canonical:
            return post.id, None
    return None, page.meta.next_token


def _written_text(post: Post) -> str:
    """Return the text of a post as it was written: with whole addresses, and without that of its own media."""
    text, urls = post.text, post.entities.urls
    if post.note_tweet is not None and post.note_tweet.text:
        text, urls = post.note_tweet.text, [*post.note_tweet.entities.urls, *urls]
    for url in urls[:100]:
        if url.url:
            text = text.replace(url.url, "" if _OWN_MEDIA.fullmatch(url.expanded_url) else url.expanded_url)
    return html.unescape(text)


def _canonical(text: str) -> str:
    """Return a text without what X changes: schemes and last slashes of addresses, spaces, mentions before a reply."""
    words = [word.rstrip("/") for word in _SCHEME.sub("", _MENTIONS.sub("", nfc(text).strip())).split()]
    return " ".join(words).casefold()
