"""Reading an address: one conditional request, redirects followed by hand, each hop checked by the guarded client."""

import codecs
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urljoin

import regex
from msgspec import Struct

from signalpost.feeds import discovery, document
from signalpost.feeds.document import Document, Unreadable
from signalpost.feeds.states import ReadError
from signalpost.kit import clock, foreign
from signalpost.kit.http import Client, HttpFailure, NotSent, Response, TooLarge, UnknownHost, UnsafeUrl
from signalpost.kit.worker_threads import OutOfTime, in_thread

BODY_BYTES_MAX: Final = 2_000_000
SECONDS_MAX: Final = 20.0
HOPS_MAX: Final = 5
WAIT_SECONDS_MAX: Final = 86_400.0
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PERMANENT: Final = frozenset({301, 308})
_ACCEPT: Final = "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8, text/html;q=0.5"
_CHARSET: Final = regex.compile(r"charset=[\"']?([\w-]{1,40})", regex.IGNORECASE)
_CHARSETS: Final = frozenset({"utf-8", "utf-16", "iso-8859-1", "iso-8859-15", "us-ascii", "windows-1252"})
_HEADER_MAX: Final = 500


class Read(Struct, frozen=True):
    """What came. `url`: where from, permanent redirects followed; `document` None: it is as it was."""

    url: str
    document: Document | None
    etag: str | None = None
    last_modified: str | None = None


class Failed(Exception):
    """Nothing came. `wait_seconds`: how long the server asks to wait; `is_gone`: for good."""

    def __init__(self, reason: ReadError, *, wait_seconds: float = 0.0, is_gone: bool = False) -> None:
        super().__init__(reason)
        self.reason: ReadError = reason
        self.wait_seconds = wait_seconds
        self.is_gone = is_gone


async def read(client: Client, url: str, *, etag: str | None = None, last_modified: str | None = None) -> Read:
    """Read the feed at an address, or that of the page there.

    Raises:
        Failed: there is none that can be read.
    """
    response, at = await _get(client, url, _conditions(etag, last_modified))
    if response.status == 304:
        return Read(at, None, etag, last_modified)
    try:
        if not document.looks_like_one(response.body):
            address = await in_thread(_named_feed, response, at)
            if address is None or address == at:
                raise Failed("no_feed" if _is_page(response) else "not_a_feed")
            response, at = await _get(client, address, {})
        feed = await in_thread(document.read, response.body, at, _charset(response))
    except Unreadable as unreadable:
        raise Failed(unreadable.reason) from None
    except OutOfTime:
        raise Failed("too_much") from None
    headers = response.headers
    return Read(at, feed, _header(headers, "ETag"), _header(headers, "Last-Modified"))


def _conditions(etag: str | None, last_modified: str | None) -> dict[str, str]:
    conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in conditions.items() if value is not None}


async def _get(client: Client, url: str, conditions: Mapping[str, str]) -> tuple[Response, str]:
    """Return a response with a body, or one that says that nothing changed, and its address."""
    headers = {"Accept": _ACCEPT, **conditions}
    stays = True  # whether every hop so far was permanent
    address = url
    for _ in range(HOPS_MAX + 1):
        response = await _request(client, url, headers)
        if response.status not in _REDIRECTS:
            _require_usable(response)
            return response, address
        following = _absolute(url, response.headers.get("Location"))
        if following is None:
            raise Failed("too_many_redirects")
        stays = stays and response.status in _PERMANENT
        url = following
        address = url if stays else address
    raise Failed("too_many_redirects")


async def _request(client: Client, url: str, headers: Mapping[str, str]) -> Response:
    try:
        return await client.request("GET", url, headers=headers, timeout_seconds=SECONDS_MAX, bytes_max=BODY_BYTES_MAX)
    except TooLarge:
        raise Failed("too_large") from None
    except UnknownHost:
        raise Failed("unreachable") from None
    except UnsafeUrl:
        raise Failed("unsafe_address") from None
    except NotSent as failure:
        raise Failed("unreachable", wait_seconds=60.0 if failure.ours else 0.0) from None
    except HttpFailure:
        raise Failed("unreachable") from None


def _require_usable(response: Response) -> None:
    status = response.status
    if status in {200, 304}:
        return
    if status == 410:
        raise Failed("not_found", is_gone=True)
    if status in {429, 503}:
        wait = _wait_seconds(response.headers.get("Retry-After"))
        raise Failed("too_often" if status == 429 else "server_error", wait_seconds=wait)
    if status in {401, 402, 403, 451}:
        raise Failed("login_needed")
    raise Failed("server_error" if status >= 500 else "not_found")


def _wait_seconds(value: str | None) -> float:
    """Return what Retry-After says: seconds, or a date."""
    if not value or len(value) > 64:
        return 0.0
    if value.isascii() and value.isdigit():
        return min(float(value), WAIT_SECONDS_MAX)
    try:
        until: datetime = parsedate_to_datetime(value)
        return min(max(0.0, (until - clock.actual()).total_seconds()), WAIT_SECONDS_MAX)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _named_feed(response: Response, url: str) -> str | None:
    charset = _charset(response) or "utf-8"
    return discovery.feed_of(response.body.decode(charset, "replace"), url)


def _is_page(response: Response) -> bool:
    return "html" in response.headers.get("Content-Type", "").lower()


def _charset(response: Response) -> str | None:
    declared = _CHARSET.search(response.headers.get("Content-Type", "")[:_HEADER_MAX])
    name = declared[1].lower() if declared else ""
    return codecs.lookup(name).name if name in _CHARSETS else None


def _header(headers: Mapping[str, str], name: str) -> str | None:
    return foreign.identifier(headers.get(name), _HEADER_MAX)


def _absolute(base: str, address: str | None) -> str | None:
    try:
        return foreign.url(urljoin(base, (address or "").strip())) if address else None
    except ValueError:
        return None
