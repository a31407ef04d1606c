"""Finds links, mentions and tags in a text by the rules of the official app, and places them by UTF-8 bytes."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import regex
from msgspec import Struct

from signalpost.networks.counting import graphemes

TAG_GRAPHEMES_MAX = 64
HANDLE_LENGTH_MAX = 253  # of a host name
_MENTION = regex.compile(r"(?:^|\s|\()@([a-zA-Z0-9.-]++)(?!_)")
_HANDLE = regex.compile(
    r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
)
_LINK = regex.compile(r"(?:^|\s|\()(https?://\S+)", regex.IGNORECASE)
_INVISIBLE = r"\u00AD\u2060\u200A\u200B\u200C\u200D\u20e2"
_TAG = regex.compile(rf"(?:^|\s)([#\uff03])((?!\ufe0f)[^\s{_INVISIBLE}]++)")
_IN_EVERY_TAG = regex.compile(r"[^0-9\p{P}]")
_CLOSING = regex.compile(r"(?r)\p{P}+")  # matches at the end of a text
_CASHTAG = regex.compile(r"(?:^|\s|\()\$([A-Za-z][A-Za-z0-9]{0,4})(?=\s|$|[.,;:!?)\"'\u2019])")


class Span(Struct, frozen=True):
    """A link, mention or tag: `start` and `end` count characters of the text, `value` is the URL, handle or tag."""

    kind: Literal["link", "mention", "tag"]
    start: int
    end: int
    value: str


def spans(text: str) -> list[Span]:
    """Return what a reader can click, in order. A URL needs its https://, so that `node.js` is not taken for a site."""
    result: list[Span] = []
    for span in sorted((*_mentions(text), *_links(text), *_tags(text)), key=lambda span: span.start):
        if not result or span.start >= result[-1].end:  # `https://a.b/(@c.d` is one URL, without a mention in it
            result.append(span)
    return result


def handles(text: str) -> list[str]:
    """Return the distinct handles mentioned, in order."""
    return list(dict.fromkeys(span.value for span in spans(text) if span.kind == "mention"))


def facets_of(text: str, dids: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the facets of a record. A mention whose handle is not in `dids` stays plain text."""
    facets = []
    seen = seen_bytes = 0
    for span in spans(text):
        start = seen_bytes + len(text[seen : span.start].encode())
        seen, seen_bytes = span.end, start + len(text[span.start : span.end].encode())
        feature: dict[str, Any] = {"$type": f"app.bsky.richtext.facet#{span.kind}"}
        match span.kind:
            case "link":
                feature["uri"] = span.value
            case "tag":
                feature["tag"] = span.value
            case "mention":
                if span.value not in dids:
                    continue
                feature["did"] = dids[span.value]
        facets.append({"index": {"byteStart": start, "byteEnd": seen_bytes}, "features": [feature]})
    return facets


def first_link(text: str) -> str | None:
    """Return the first URL of a text, or None."""
    return next((span.value for span in spans(text) if span.kind == "link"), None)


def _mentions(text: str) -> Iterator[Span]:
    for match in _MENTION.finditer(text):
        handle = match[1].rstrip(".-")
        if len(handle) <= HANDLE_LENGTH_MAX and _HANDLE.fullmatch(handle):
            start = match.start(1) - 1
            yield Span("mention", start, start + 1 + len(handle), handle.lower())


def _links(text: str) -> Iterator[Span]:
    for match in _LINK.finditer(text):
        address = match[1]
        if address[-1] in ".,;:!?":
            address = address[:-1]
        if address.endswith(")") and "(" not in address:
            address = address[:-1]
        if len(address) > len("https://"):
            yield Span("link", match.start(1), match.start(1) + len(address), address)


def _tags(text: str) -> Iterator[Span]:
    for match in _TAG.finditer(text):
        closing = _CLOSING.match(match[2])
        tag = match[2][: closing.start()] if closing else match[2]
        if _IN_EVERY_TAG.search(tag) and graphemes(tag) <= TAG_GRAPHEMES_MAX:
            yield Span("tag", match.start(1), match.start(2) + len(tag), tag)
    for match in _CASHTAG.finditer(text):
        yield Span("tag", match.start(1) - 1, match.end(1), "$" + match[1].upper())
