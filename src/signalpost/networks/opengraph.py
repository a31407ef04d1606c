"""Reads title, description and image of a web page, for networks where the sender makes the link card.

The page is foreign: it is read within limits, through the guarded client, and never fails a post.
"""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from typing_extensions import override

from signalpost.kit.http import HttpFailure
from signalpost.kit.sniff import media_type
from signalpost.networks.contract import Http, Response

PAGE_BYTES_MAX = 512_000  # enough for the head of a page
TITLE_LENGTH_MAX = 300
DESCRIPTION_LENGTH_MAX = 1_000
HOPS_MAX = 3
TIMEOUT_SECONDS = 5.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHARSET = re.compile(r"charset=[\"']?([\w-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True)
class Card:
    title: str
    description: str = ""
    image_url: str | None = None


async def fetch_card(http: Http, url: str) -> Card | None:
    """Return the card of the page at `url`; None when it cannot be read or has no title."""
    response = await _fetch(http, url, PAGE_BYTES_MAX, truncate=True)
    if response is None or "html" not in response.headers.get("Content-Type", "text/html"):
        return None
    head = _Head()
    head.feed(_text(response))
    title = head.meta.get("og:title") or head.meta.get("twitter:title") or head.title
    if not title.strip():
        return None
    description = head.meta.get("og:description") or head.meta.get("description") or ""
    image = head.meta.get("og:image") or head.meta.get("twitter:image")
    return Card(_line(title, TITLE_LENGTH_MAX), _line(description, DESCRIPTION_LENGTH_MAX), _absolute(url, image))


async def fetch_image(http: Http, url: str, bytes_max: int) -> tuple[bytes, str] | None:
    """Return the image at `url` and its media type; None when it cannot be read, is too large or is not an image."""
    response = await _fetch(http, url, bytes_max, truncate=False)
    if response is None:
        return None
    mime_type = media_type(response.body)
    return (response.body, mime_type) if mime_type and mime_type.startswith("image/") else None


async def _fetch(http: Http, url: str, bytes_max: int, *, truncate: bool) -> Response | None:
    for _ in range(HOPS_MAX + 1):
        try:
            response = await http.request(
                "GET", url, timeout_seconds=TIMEOUT_SECONDS, bytes_max=bytes_max, truncate=truncate
            )
        except HttpFailure:
            return None  # a page that cannot be read has no card
        if response.status not in _REDIRECTS:
            return response if response.status == 200 else None
        following = _absolute(url, response.headers.get("Location"))
        if following is None:
            return None
        url = following
    return None


class _Head(HTMLParser):
    """Collects the meta elements and the first title of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.meta: dict[str, str] = {}
        self.title = ""
        self._in_title = False

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title" and not self.title
        if tag == "meta" and len(self.meta) < 200:
            attributes = dict(attrs)
            name = attributes.get("property") or attributes.get("name")
            content = attributes.get("content")
            if name and content:
                self.meta.setdefault(name.lower(), content)

    @override
    def handle_endtag(self, tag: str) -> None:
        self._in_title = False

    @override
    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data


def _text(response: Response) -> str:
    declared = _CHARSET.search(response.headers.get("Content-Type", "")) or _CHARSET.search(
        response.body[:2048].decode("latin-1")
    )
    try:
        return response.body.decode(declared[1] if declared else "utf-8", "replace")
    except LookupError:
        return response.body.decode("utf-8", "replace")


def _line(text: str, length_max: int) -> str:
    """Return foreign text on one line, cut to a limit."""
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= length_max else text[: length_max - 1] + "…"


def _absolute(base: str, address: str | None) -> str | None:
    try:
        url = urljoin(base, (address or "").strip())
        return url if address and urlsplit(url).scheme in {"http", "https"} else None
    except ValueError:
        return None
