"""The text of markup: what feeds call a summary is mostly HTML. Each character is looked at a few times. Pure."""

from html import unescape
from typing import Final

import regex

from signalpost.kit import foreign

MARKUP_MAX: Final = 20_000
"""Characters that are looked at; a summary needs fewer."""
_TAG: Final = regex.compile(r"<(!--|[!?]|/?[A-Za-z][A-Za-z0-9]{0,20})")
_SKIPPED: Final = {
    name: regex.compile(f"</{name}(?=[\\s/>])", regex.IGNORECASE) for name in ("script", "style", "template")
}
_BLOCKS: Final = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    ]
)
_QUOTED_MAX: Final = 500
"""How far the end of a tag is looked for whose quotation marks have none before it."""


def text(markup: str, length_max: int) -> str:
    """Return the text of HTML, or of plain text with entities: blocks become lines, cut to a length."""
    markup = markup[:MARKUP_MAX]
    parts: list[str] = []
    at = 0
    while (tag := _TAG.search(markup, at)) is not None:
        parts.append(unescape(markup[at : tag.start()]))
        name = tag[1].lower()
        if name.lstrip("/") in _BLOCKS:
            parts.append("\n")
        at = _end(markup, tag.end(), name)
    parts.append(unescape(markup[at:]))
    return foreign.text(_lines("".join(parts)), length_max)


def _end(markup: str, at: int, name: str) -> int:
    """Return where what begins with a tag ends; what has no end takes all the rest."""
    if name == "!--":
        end = markup.find("-->", at)
        return len(markup) if end < 0 else end + 3
    end = markup.find(">", at)
    if end < 0:
        return len(markup)
    if markup.count('"', at, end) % 2 and (later := markup.find('">', end, end + _QUOTED_MAX)) >= 0:
        end = later + 1
    if (closing := _SKIPPED.get(name)) is not None:
        closed = closing.search(markup, end)
        return len(markup) if closed is None else _end(markup, closed.end(), "")
    return end + 1


def _lines(value: str) -> str:
    """Return the text with single spaces, and an empty line between paragraphs at most."""
    lines = [" ".join(line.split()) for line in value.split("\n")]
    compact = [line for index, line in enumerate(lines) if line or (index and lines[index - 1])]
    return "\n".join(compact).strip()
