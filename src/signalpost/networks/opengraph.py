"""Reads title, description and image of a web page, for networks where the sender makes the link card.

The page is foreign: it is read within limits, through the guarded client, and never fails a post.
"""

import codecs
from dataclasses import dataclass
from html import unescape
from urllib.parse import urljoin, urlsplit

import regex

from signalpost.kit import foreign
from signalpost.kit.http import HttpFailure
from signalpost.kit.sniff import media_type
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.contract import Http, Response

PAGE_BYTES_MAX = 512_000  # enough for the head of a page
PIECE_BYTES = 65_536  # decoded in one step, which holds the interpreter
TITLE_LENGTH_MAX = 300
DESCRIPTION_LENGTH_MAX = 1_000
CONTENT_LENGTH_MAX = 4_000  # of a title or an attribute
ATTRIBUTES_MAX = 20  # of a meta element
HOPS_MAX = 3
TIMEOUT_SECONDS = 5.0
ELEMENTS_MAX = 4_000  # looked at; the head of a page has some hundred
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHARSET = regex.compile(r"charset=[\"']?([\w-]{1,40})", regex.IGNORECASE)
# Those of the web that every Python has; others, such as idna or punycode, fail or take seconds.
_CHARSETS = regex.compile(
    r"utf-?8|utf-?16-?(le|be)|us-ascii|(iso-?8859-?|latin-?)\d{1,2}|(windows-?|cp)125\d|koi8-[ru]|shift[_-]?jis"
    r"|euc-(jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5",
    regex.IGNORECASE,
)
# `regex` leaves the interpreter to others while it searches.
_START = regex.compile(r"<(title|meta|script|style|template|body|/head|!--)(?=[\s/>-])", regex.IGNORECASE)
_ENDS = {
    "!--": regex.compile("-->"),
    **{
        name: regex.compile(f"</{name}(?=[\\s/>])", regex.IGNORECASE)
        for name in ("title", "script", "style", "template")
    },
}
_ATTRIBUTE = regex.compile(r"""[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?""")


@dataclass(frozen=True)
class Card:
    """What a page says about itself, cleaned and cut."""

    title: str
    description: str = ""
    image_url: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", foreign.line(self.title, TITLE_LENGTH_MAX))
        object.__setattr__(self, "description", foreign.line(self.description, DESCRIPTION_LENGTH_MAX))
        object.__setattr__(self, "image_url", foreign.url(self.image_url))


async def fetch_card(http: Http, url: str) -> Card | None:
    """Return the card of the page at `url`; None when it cannot be read or has no title."""
    response = await _fetch(http, url, PAGE_BYTES_MAX, truncate=True)
    if response is None or "html" not in response.headers.get("Content-Type", "text/html"):
        return None
    head = await in_thread(lambda: _read_head(_text(response)))
    title = head.meta.get("og:title") or head.meta.get("twitter:title") or head.title
    description = head.meta.get("og:description") or head.meta.get("description") or ""
    image = head.meta.get("og:image") or head.meta.get("twitter:image")
    card = Card(title, description, _absolute(url, image))
    return card if card.title else None


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


@dataclass
class _Head:
    """The meta elements and the first title of a page."""

    meta: dict[str, str]
    title: str = ""


def _read_head(page: str) -> _Head:
    """Read the head of a page; every character is looked at once or twice, whatever the page holds."""
    head, at = _Head({}), 0
    for _ in range(ELEMENTS_MAX):
        start = _START.search(page, at)
        if start is None:
            break
        name, at = start[1].lower(), start.end()
        if name in {"body", "/head"}:
            break
        if name == "meta":
            at = _add_meta(head, page, at)
        elif (end := _ENDS[name].search(page, at)) is not None:
            if name == "title" and not head.title:
                head.title = unescape(page[page.find(">", at) + 1 : end.start()][:CONTENT_LENGTH_MAX])
            at = end.end()
        else:
            break  # it has no end, so all the rest belongs to it
    return head


def _add_meta(head: _Head, page: str, at: int) -> int:
    """Add the meta element whose attributes begin at `at`, and return where they end."""
    attributes: dict[str, str] = {}
    while (match := _ATTRIBUTE.match(page, at)) is not None and len(attributes) < ATTRIBUTES_MAX:
        value = match[2] or match[3] or match[4] or ""
        attributes.setdefault(match[1].lower(), unescape(value[:CONTENT_LENGTH_MAX]))
        at = match.end()
    name = attributes.get("property") or attributes.get("name")
    if name and (content := attributes.get("content")):
        head.meta.setdefault(name.lower(), content)
    return at


def _text(response: Response) -> str:
    declared = _CHARSET.search(response.headers.get("Content-Type", "")) or _CHARSET.search(
        response.body[:2048].decode("latin-1")
    )
    charset = declared[1] if declared and _CHARSETS.fullmatch(declared[1]) else "utf-8"
    try:
        decoder = codecs.getincrementaldecoder(charset)("replace")
    except LookupError:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pieces = range(0, len(response.body), PIECE_BYTES)
    return "".join(decoder.decode(response.body[start : start + PIECE_BYTES]) for start in pieces)


def _absolute(base: str, address: str | None) -> str | None:
    try:
        url = urljoin(base, (address or "").strip())
        return url if address and urlsplit(url).scheme in {"http", "https"} else None
    except ValueError:
        return None
