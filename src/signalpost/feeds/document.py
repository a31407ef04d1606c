"""Feeds as they are sent: RSS 0.9 to 2.0, RDF and Atom, read by expat in one pass. Pure; decision 0388 says why.

What comes is bounded while it is read: depth, items, and the length of each text. A document that declares entities is
refused, nothing outside of it is ever read, and entities that it only uses are those of HTML.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html.entities import html5
from typing import Any, Final
from urllib.parse import urljoin
from xml.parsers import expat

import regex
from msgspec import Struct, field

from signalpost.feeds import plain
from signalpost.feeds.states import ReadError
from signalpost.kit import foreign

ITEMS_MAX: Final = 200
"""Of a document: the newest."""
_READ_MAX: Final = 2_000
"""Items that are read to find the newest."""
_DEPTH_MAX: Final = 100
_TEXT_MAX: Final = plain.MARKUP_MAX
_PIECE_BYTES: Final = 65_536
KEY_MAX: Final = 2_000
TITLE_MAX: Final = 300
SUMMARY_MAX: Final = 2_000
CATEGORIES_MAX: Final = 20
_HEAD_BYTES: Final = 2_048
_ROOT: Final = regex.compile(rb"<(?:[\w.-]{1,20}:)?(rss|feed|RDF)[\s>]")
_ATOM: Final = frozenset({"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"})
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_CONTENT: Final = "http://purl.org/rss/1.0/modules/content/"
_DC: Final = frozenset({"http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/"})
_OWN: Final = _ATOM | {
    "", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://backend.userland.com/rss2",
}  # fmt: skip
_FIELDS: Final[Mapping[str, str]] = {
    "title": "title", "link": "link", "guid": "id", "id": "id", "description": "summary", "summary": "summary",
    "content": "content", "author": "author", "category": "category", "pubDate": "published", "issued": "published",
    "published": "published", "updated": "updated", "modified": "updated",
}  # fmt: skip
_OF_DC: Final[Mapping[str, str]] = {
    "creator": "author", "subject": "category", "date": "published", "description": "summary",
}  # fmt: skip
_BLOCKS: Final = frozenset({"p", "div", "br", "li", "h1", "h2", "h3", "h4", "blockquote", "tr"})


class Item(Struct, frozen=True):
    """An item of a feed, as text. `key`: its id, else its link, else its title."""

    key: str
    title: str
    summary: str
    link: str | None
    author: str
    categories: list[str]
    published_at: datetime | None


class Document(Struct, frozen=True):
    """A feed: the newest items, the oldest of them first."""

    title: str
    items: list[Item]


class Unreadable(Exception):
    """It cannot be read; `reason` says why."""

    def __init__(self, reason: ReadError) -> None:
        super().__init__(reason)
        self.reason: ReadError = reason


def looks_like_one(body: bytes) -> bool:
    """Whether the first element is that of a feed, as far as the beginning tells."""
    return _ROOT.search(_head(body)) is not None


def _head(body: bytes) -> bytes:
    head = body[:_HEAD_BYTES]
    return head.replace(b"\x00", b"") if head[:2] in {b"\xff\xfe", b"\xfe\xff"} else head


def read(body: bytes, url: str, charset: str | None = None) -> Document:
    """Read a document from this address. `charset`: what the response declared, for one that does not say it itself.

    Raises:
        Unreadable: it is not a feed, or is damaged, or declares entities.
    """
    encoding = charset if charset and b"encoding=" not in body[:200] else None
    try:
        reader = _Reader(url, encoding)
    except (ValueError, LookupError):
        reader = _Reader(url, None)
    reader.read(body.lstrip(b"\xef\xbb\xbf \t\r\n") if body[:1] in b"\xef \t\r\n" else body)
    items = reader.items[::-1]  # the newest is mostly first
    if all(item.published_at for item in items):
        items.sort(key=lambda item: item.published_at or foreign.EARLIEST)
    return Document(plain.text(reader.title, TITLE_MAX).replace("\n", " "), items[-ITEMS_MAX:])


class _Raw(Struct):
    """An item while it is read: the first text of each kind, and every category."""

    texts: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    categories: list[str] = field(default_factory=list)
    is_permalink: bool = True


class _Reader:
    """The handlers of one document."""

    def __init__(self, url: str, encoding: str | None) -> None:
        self.title = ""
        self.items: list[Item] = []
        self._url = url
        self._depth = 0
        self._root = ""
        self._item: _Raw | None = None
        self._item_depth = 0
        self._field: str | None = None
        self._field_depth = 0
        self._parts: list[str] = []
        self._left = 0
        parser = expat.ParserCreate(encoding, " ")
        parser.buffer_text = True
        parser.UseForeignDTD(True)  # noqa: FBT003 - so an entity that is declared nowhere, such as &nbsp;, is skipped, and no error
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.EntityDeclHandler = self._refuse
        parser.SkippedEntityHandler = self._entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        self._parser = parser

    def read(self, body: bytes) -> None:
        """Read the whole document.

        Raises:
            Unreadable: it cannot be.
        """
        try:
            for at in range(0, len(body), _PIECE_BYTES):
                self._parser.Parse(body[at : at + _PIECE_BYTES])
                if at - self._parser.CurrentByteIndex > _PIECE_BYTES:  # a tag that long holds the interpreter
                    raise Unreadable("malformed")
            self._parser.Parse(b"", True)  # noqa: FBT003 - the end
        except (expat.ExpatError, ValueError, LookupError):  # the latter two: of an encoding that is none
            if not self.items:
                raise Unreadable("malformed" if self._root else "not_a_feed") from None
            # Cut off or damaged further below: what came before is whole.
        if not self._root:
            raise Unreadable("not_a_feed")

    def _refuse(self, *_declaration: Any) -> None:
        raise Unreadable("malformed")

    def _entity(self, name: str, is_parameter: bool) -> None:  # noqa: FBT001 - as expat calls it
        if not is_parameter:
            self._text(html5.get(f"{name};", ""))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise Unreadable("malformed")
        space, _, local = name.rpartition(" ")
        if not self._root:
            if local not in {"rss", "feed", "RDF"}:
                raise Unreadable("not_a_feed")
            self._root = local
        elif self._field is not None:
            self._start_inside(local)
        elif self._item is not None:
            self._start_field(self._item, space, local, attributes)
        elif local in {"item", "entry"} and space in _OWN and len(self.items) < _READ_MAX:
            self._item, self._item_depth = _Raw(), self._depth
            if about := attributes.get(f"{_RDF} about"):
                self._item.texts["id"] = about[:_TEXT_MAX]
        elif (
            local == "title" and space in _OWN and not self.title and self._depth == (2 if self._root == "feed" else 3)
        ):
            self._open("feed")

    def _start_inside(self, local: str) -> None:
        if self._field == "author":  # of Atom: name, uri and email, in any order
            self._left = _TEXT_MAX if local == "name" else 0
        elif local in _BLOCKS:
            self._text("\n")

    def _start_field(self, item: _Raw, space: str, local: str, attributes: Mapping[str, str]) -> None:
        if self._depth != self._item_depth + 1:
            return
        if space == _CONTENT and local == "encoded":
            self._open("content")
        elif space in _DC and local in _OF_DC:
            self._open(_OF_DC[local])
        elif space in _OWN and local in _FIELDS:
            if local == "link" and (address := attributes.get("href")):
                item.links.setdefault(attributes.get("rel", "alternate"), address[: foreign.URL_MAX + 1])
                return
            if local == "category" and (term := attributes.get("label") or attributes.get("term")):
                item.categories.append(term[:TITLE_MAX])
                return
            if local == "guid":
                item.is_permalink = attributes.get("isPermaLink", "true") == "true"
            self._open(_FIELDS[local])

    def _open(self, name: str) -> None:
        self._field, self._field_depth, self._left = name, self._depth, _TEXT_MAX
        self._parts = []

    def _text(self, value: str) -> None:
        if self._field is not None and self._left > 0:
            self._parts.append(value[: self._left])
            self._left -= len(value)

    def _end(self, _name: str) -> None:
        if self._field is not None and self._depth == self._field_depth:
            self._close(self._field, "".join(self._parts).strip())
            self._field = None
        elif self._item is not None and self._depth == self._item_depth:
            if (item := self._item_of(self._item)) is not None:
                self.items.append(item)
            self._item = None
        self._depth -= 1

    def _close(self, name: str, value: str) -> None:
        if self._item is None:
            self.title = value
        elif name == "category":
            self._item.categories.append(value)
        elif value:
            self._item.texts.setdefault(name, value)

    def _item_of(self, raw: _Raw) -> Item | None:
        """Return the item; None if nothing tells it from others."""
        texts = raw.texts
        link = raw.links.get("alternate") or texts.get("link")
        if not link and raw.is_permalink and texts.get("id", "").startswith(("https://", "http://")):
            link = texts["id"]
        address = _absolute(self._url, link)
        title = plain.text(texts.get("title", ""), TITLE_MAX).replace("\n", " ")
        key = texts.get("id") or address or title
        if not key:
            return None
        categories = [foreign.line(plain.text(name, 100), 100) for name in raw.categories[:CATEGORIES_MAX]]
        return Item(
            key=key[:KEY_MAX],
            title=title,
            summary=plain.text(texts.get("summary") or texts.get("content", ""), SUMMARY_MAX),
            link=address,
            author=foreign.line(_author(texts.get("author", "")), 100),
            categories=list(dict.fromkeys(name for name in categories if name)),
            published_at=_instant(texts.get("published")) or _instant(texts.get("updated")),
        )


def _author(value: str) -> str:
    """Return the name out of `ada@example.com (Ada Lovelace)`, as RSS writes it."""
    address, separator, name = value.partition("(")
    return name.rstrip(") ") if separator and "@" in address else value


def _absolute(base: str, address: str | None) -> str | None:
    try:
        return foreign.url(urljoin(base, address.strip())) if address and address.strip() else None
    except ValueError:
        return None


def _instant(value: str | None) -> datetime | None:
    """Return a time as RSS (RFC 822) or Atom (RFC 3339) writes it; without a zone it is UTC."""
    if not value or len(value) > 64:
        return None
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at = parse(value)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        try:
            return foreign.instant(at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC))
        except (ValueError, OverflowError):
            return None
    return None
