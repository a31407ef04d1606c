"""Looking for a post among the account's own: one whose answer was lost, or whose files Reddit is still processing."""

import html
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.kit.unicode import nfc
from signalpost.networks.connectors.reddit.calls import call, listed
from signalpost.networks.connectors.reddit.facts import FACTS, kind_of
from signalpost.networks.contract import OutcomeUnknown, Outgoing
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart

EARLY_SECONDS: Final = 120  # younger than this, a missing text or link may still be on its way
EARLY_FILES_SECONDS: Final = 900  # the same for pictures and videos, which are public minutes after the answer
SKEW_SECONDS: Final = 60  # between Reddit's clock and ours
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 5, 100, 5_000_000


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is certainly not there.

    The account sees its own posts also where a moderator, a bot of theirs or a filter has hidden them from others.
    """
    at = datetime.fromisoformat(intended["at"])
    result = await _search(part, at - timedelta(seconds=SKEW_SECONDS))
    left = at + timedelta(seconds=early_seconds(part.outgoing)) - part.session.now()
    if result is None and left > timedelta(0):
        message = "It is too early to tell whether Reddit has made the post."
        return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())
    return result


def early_seconds(outgoing: Outgoing) -> int:
    """Return how long a post that is not listed may still become public."""
    return EARLY_FILES_SECONDS if outgoing.media else EARLY_SECONDS


async def _search(part: ThreadPart, since: datetime) -> PublicPart | OutcomeUnknown | None:
    """Walk through the account's posts, the newest first, back to the intent."""
    query, resembles = {"sort": "new", "limit": str(PAGE_LENGTH)}, False
    path = f"/user/{part.session.username}/submitted"
    for _ in range(PAGES_MAX):
        posts, after = listed(await call(part.session, "GET", path, params=query, bytes_max=PAGE_BYTES_MAX))
        recent = [post for post in posts if _created_at(post) >= since]
        for post in recent:
            if not _is_titled(part.outgoing, post):
                continue
            if _is_same(part.outgoing, post):
                return public_part(post)
            resembles = True
        if after is None or not recent:
            break
        query["after"] = after
    else:
        return OutcomeUnknown(message="The account has published too many posts since then to find this one.")
    if resembles:
        message = "The subreddit has a new post of the account with this title, but with other content."
        return OutcomeUnknown(message=message)
    return None


def public_part(post: Mapping[str, Any]) -> PublicPart | None:
    """Return what is kept of a post; None for one without an id."""
    name = string(post.get("name"))
    permalink = string(post.get("permalink"))
    return None if name is None else {"id": name, "url": f"https://www.reddit.com{permalink}" if permalink else None}


def _created_at(post: Mapping[str, Any]) -> datetime:
    """Return when a post was made.

    Raises:
        BadResponse: it does not say so; without the time nothing can be ruled out.
    """
    try:
        return datetime.fromtimestamp(float(str(post.get("created_utc"))), UTC)
    except (ValueError, OverflowError, OSError):
        raise BadResponse("a post of the response has no time") from None


def _is_titled(outgoing: Outgoing, post: Mapping[str, Any]) -> bool:
    """Return whether a post has the title, in the subreddit."""
    subreddit = str(post.get("subreddit")).casefold()
    return subreddit == str(outgoing.options.get("subreddit")).casefold() and (
        _plain(string(post.get("title"))) == _plain(outgoing.title)
    )


def _is_same(outgoing: Outgoing, post: Mapping[str, Any]) -> bool:
    kind = kind_of(outgoing)
    shared = outgoing.options.get("crosspostOf")
    if kind == "crosspost":
        return str(post.get("crosspost_parent")).removeprefix("t3_") == str(shared).removeprefix("t3_")
    if _kind_of_post(post) != kind or (kind == "link" and post.get("url") != outgoing.link):
        return False
    if string(post.get("removed_by_category")) is not None:  # others no longer see its text, perhaps nobody does
        return True
    text = post.get("selftext")
    return _plain(text if isinstance(text, str) else "") == _plain(text_of_part(FACTS, outgoing, 0))


def _kind_of_post(post: Mapping[str, Any]) -> str:
    if post.get("crosspost_parent"):
        return "crosspost"
    if post.get("is_self") is True:
        return "self"
    if post.get("is_gallery") is True:
        return "gallery"
    if post.get("is_video") is True:
        return "video"
    return "image" if post.get("is_reddit_media_domain") is True else "link"


def _plain(text: str | None) -> str:
    """Return a text without what Reddit changes: spaces at the ends, and entities where it was not asked for none."""
    return single_spaced(nfc(html.unescape(text or "")))
