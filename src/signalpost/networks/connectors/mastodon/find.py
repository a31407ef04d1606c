"""Finding a post whose create call got no response: by its key if the server knows it, or among the account's posts."""

import html
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from signalpost.kit.http import BadResponse
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.connectors.mastodon.calls import call
from signalpost.networks.connectors.mastodon.facts import FACTS
from signalpost.networks.contract import NetworkSession, OutcomeUnknown, Response
from signalpost.networks.preflight import text_of_part
from signalpost.networks.threads import PublicPart, ThreadPart

RESEND_SECONDS_MAX = 3_500  # a little less than the hour for which a key is remembered
TOO_EARLY_SECONDS, TOO_EARLY_WITH_KEY_SECONDS = 120, 30  # younger than this, a missing post may still be on its way
SKEW_SECONDS = 30  # between the server's clock and ours
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 50, 40, 800_000
"""2,000 posts: relatives of Mastodon take answers as fast as they come. Of a page, no server lists more than 40."""
HTML_FACTOR = 100  # a server makes at most this many characters of one: `#a` becomes a link of 90
_QUOTE_PARAGRAPH = '<p class="quote-inline">'
_TAG = re.compile(r"<[^>]*>?")  # always matches at `<`, so that nothing is read twice
_REMOTE_MENTION = re.compile(r"@([\w.-]+)@[\w.-]+\w")
_NOT_WORD = re.compile(r"[\W_]+")


class Status(msgspec.Struct):
    """One of the account's posts, as far as it is read."""

    id: str
    created_at: str
    content: str | None = None
    spoiler_text: str | None = None
    in_reply_to_id: str | None = None
    media_attachments: list[msgspec.Raw] | None = None
    url: str | None = None
    uri: str | None = None


_statuses = msgspec.json.Decoder(list[Status])


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is not there, or can be sent again under its key."""
    session = part.session
    if resend_is_safe(session, intended):
        # A key is remembered only once its post exists, so a call that is still under way has to end first.
        return _too_early(session, intended, TOO_EARLY_WITH_KEY_SECONDS)
    # At once: the longer it waits, the more others are published that have to be read first.
    status = await _search(part, datetime.fromisoformat(intended["at"]))
    if isinstance(status, Status):
        return {"id": status.id, "url": status.url or status.uri}
    return _too_early(session, intended, TOO_EARLY_SECONDS) or status


def resend_is_safe(session: NetworkSession, intended: Mapping[str, Any]) -> bool:
    """Return whether the server still knows the key of this intent: sending it again then returns the first post."""
    return bool(session.facts.get("dedupes")) and _age(session, intended) < timedelta(seconds=RESEND_SECONDS_MAX)


def _too_early(session: NetworkSession, intended: Mapping[str, Any], seconds: float) -> OutcomeUnknown | None:
    left = timedelta(seconds=seconds) - _age(session, intended)
    if left <= timedelta(0):
        return None
    message = "It is too early to tell whether the server accepted the post."
    return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())


def _age(session: NetworkSession, intended: Mapping[str, Any]) -> timedelta:
    return session.now() - datetime.fromisoformat(intended["at"])


async def _search(part: ThreadPart, since: datetime) -> Status | OutcomeUnknown | None:
    """Walk the account's own posts back to the intent; None only when all of that time was seen."""
    account_id = part.session.remote_id.rpartition("@")[0]
    query = {"limit": str(PAGE_LENGTH), "exclude_reblogs": "true"}
    since -= timedelta(seconds=SKEW_SECONDS)
    for _ in range(PAGES_MAX):
        response = await call(
            part.session, "GET", f"/api/v1/accounts/{account_id}/statuses", params=query, bytes_max=PAGE_BYTES_MAX
        )
        page = await in_thread(_read_page, response, part, since)
        if page.status is not None or page.last_id is None:
            return page.status
        query["max_id"] = page.last_id
    return OutcomeUnknown(message="The account has published too many posts since then to find this one.")


class _Page(msgspec.Struct):
    """What a page of posts says: the post if it is there, and after which one the next page starts, if there is any."""

    status: Status | None
    last_id: str | None


def _read_page(response: Response, part: ThreadPart, since: datetime) -> _Page:
    try:
        statuses = _statuses.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadResponse("the response is not a list of posts", status=response.status) from None
    for status in statuses:
        if _created_at(status) < since:
            return _Page(None, None)
        if _is_same(status, part):
            return _Page(status, None)
    return _Page(None, statuses[-1].id if statuses else None)


def _created_at(status: Status) -> datetime:
    try:
        created_at = datetime.fromisoformat(status.created_at)
    except ValueError:
        raise BadResponse("a post of the response has no time") from None
    if created_at.tzinfo is None:
        raise BadResponse("a post of the response has no time zone")
    return created_at


def _is_same(status: Status, part: ThreadPart) -> bool:
    outgoing, index = part.outgoing, part.index
    return (
        len(status.media_attachments or ()) == len(part.content.media)
        and status.in_reply_to_id == (part.parent["id"] if part.parent else None)
        and _reads(status.spoiler_text, str(outgoing.options.get("spoilerText") or ""))
        and _reads(_without_quote(status.content), text_of_part(FACTS, outgoing, index))
    )


def _without_quote(content: str | None) -> str | None:
    """Leave out the paragraph that a server puts before the text of a quote, for readers that show no quotes."""
    return content.partition("</p>")[2] if content and content.startswith(_QUOTE_PARAGRAPH) else content


def _reads(content: str | None, text: str) -> bool:
    """Return whether HTML shows this text. What is far too long for that is not looked at."""
    content = content or ""
    return len(content) <= HTML_FACTOR * (len(text) + 10) and fingerprint_of_html(content) == fingerprint(text)


def fingerprint_of_html(content: str) -> str:
    """Return the fingerprint of the text that a server turned into HTML."""
    return fingerprint(_unescaped(_TAG.sub("", content)))


def fingerprint(text: str) -> str:
    """Return the letters and digits of a text in order; mentions lose their server, as fediverse servers show them."""
    return _NOT_WORD.sub("", _REMOTE_MENTION.sub(r"@\1", text)).casefold()


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a character reference with thousands of digits
        return text
