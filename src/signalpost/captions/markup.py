"""Removes markup that networks would show as it stands: HTML tags, Markdown, marks that change directions."""

import html
from typing import Final

import regex

from signalpost.captions.units import MENTION
from signalpost.networks.links import LINK

_TAGS = (
    "a|abbr|b|big|blockquote|br|code|del|div|em|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|s|small|span|strike|strong|sub|sup"
    "|u|ul"
)
_BREAKS: Final = ("<br", "</p", "</div", "</li", "</h", "<hr", "</blockquote")
# No alternative reads past the next bracket, so that no text is read twice.
_PIECE = regex.compile(
    rf"""(?P<keep>{LINK}|{MENTION})
    |!?\[(?P<label>[^\[\]\n]{{1,300}})\]\((?P<url>https?://[^\s()<>\[\]]{{1,2048}})\)
    |(?P<tag></?(?i:{_TAGS})(?:\s[^<>]{{0,500}})?/?>)
    |(?P<entity>&(?:amp|lt|gt|quot|apos|nbsp|\#\d{{1,6}});)
    |(?m:^)(?P<heading>\#{{1,6}}[ ]+)
    |(?P<mark>\*{{1,3}}|_{{1,3}}|~~|`{{1,3}})
    |(?P<newline>\n)""",
    regex.VERBOSE,
)
_STRAY = regex.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]")
_INSIDE_WORD = regex.compile(r"[A-Za-z0-9]")


def without_markup(text: str) -> str:
    """Return the text as plain text. Links and mentions stay as they are; a Markdown link becomes `label https://…`."""
    text = _STRAY.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    pieces: list[str] = []
    open_marks: dict[str, int] = {}  # of this line: mark -> its place in `pieces`
    end = 0
    for match in _PIECE.finditer(text):
        pieces.append(text[end : match.start()])
        end = match.end()
        if match.lastgroup == "mark":
            _add_mark(pieces, open_marks, text, match)
            continue
        if match.lastgroup == "newline":
            open_marks.clear()
        pieces.append(_plain(match))
    return "".join([*pieces, text[end:]])


def _plain(match: "regex.Match[str]") -> str:
    if (url := match["url"]) is not None:
        label = match["label"].strip()
        return url if label in ("", url) else f"{label} {url}"
    match match.lastgroup:
        case "tag":
            return "\n" if match[0].lower().startswith(_BREAKS) else ""
        case "entity":
            return html.unescape(match[0]).replace("\xa0", " ").replace("\0", "")
        case "heading":
            return ""
    return match[0]


def _add_mark(pieces: list[str], open_marks: dict[str, int], text: str, match: "regex.Match[str]") -> None:
    """Add a mark; if it closes an earlier one of its line, remove both. `2*3*4` and `snake_case` have none."""
    mark, start, end = match[0], match.start(), match.end()
    before, after = text[start - 1 : start], text[end : end + 1]
    place = open_marks.get(mark)
    if place is not None and before.strip() and not _INSIDE_WORD.match(after):
        del open_marks[mark]
        pieces[place] = ""
        pieces.append("")
        return
    if after.strip() and not _INSIDE_WORD.match(before):
        open_marks[mark] = len(pieces)
    pieces.append(mark)
