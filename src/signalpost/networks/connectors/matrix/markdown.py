"""A little Markdown as the HTML of Matrix: bold, italic, struck, code and links, within a line. Nothing else is markup.

Each line is read once, and a mark that nothing closes stands as it is.
"""

import html
import re
from collections.abc import Iterator
from typing import Final

_TAGS: Final = {"**": "strong", "~~": "del", "*": "em", "_": "em"}
_TOKEN: Final = re.compile(
    r"`(?P<code>[^`\n]{1,2000})`"
    r"|\[(?P<label>[^\[\]\n]{1,500})\]\((?P<url>https?://[^\s()<>\"]{1,2000})\)"
    r"|\\(?P<literal>[\\`*_~\[\]])"
    r"|(?P<address>https?://[^\s<>\"]{1,2000})"  # its underscores are no marks
    r"|(?P<mark>\*{1,3}|~~|_)"
)


def html_of(text: str) -> str:
    """Return a text as HTML."""
    return "<br>\n".join(["".join(_line(line)) for line in text.split("\n")])


def _line(line: str) -> list[str]:
    pieces: list[str] = []
    opened: dict[str, int] = {}  # where each mark stands that is open; the last opened is the last
    at = 0
    for match in _TOKEN.finditer(line):
        pieces.append(html.escape(line[at : match.start()]))
        at = match.end()
        mark = match["mark"]
        if mark is None:
            pieces.append("".join(_whole(match)))
            continue
        before, after = line[match.start() - 1 : match.start()], line[at : at + 1]
        both = ("*", "**") if "*" in opened else ("**", "*")
        for name in both if mark == "***" else (mark,):
            _mark(name, before, after, pieces, opened)
    return [*pieces, html.escape(line[at:])]


def _mark(mark: str, before: str, after: str, pieces: list[str], opened: dict[str, int]) -> None:
    """Close what a mark opened, with what was opened since and is not closed; else open it, if it may."""
    starts_word = after.strip() and not (mark == "_" and before.isalnum())
    ends_word = before.strip() and not (mark == "_" and after.isalnum())
    if mark in opened and ends_word:
        pieces[opened[mark]] = f"<{_TAGS[mark]}>"
        for crossed in [other for other, place in opened.items() if place >= opened[mark]]:
            del opened[crossed]
        pieces.append(f"</{_TAGS[mark]}>")
        return
    if mark not in opened and starts_word:
        opened[mark] = len(pieces)
    pieces.append(mark)


def _whole(match: "re.Match[str]") -> Iterator[str]:
    """Yield what another token than a mark becomes."""
    if match["code"] is not None:
        yield f"<code>{html.escape(match['code'])}</code>"
    elif match["url"] is not None:
        yield f'<a href="{html.escape(match["url"])}">{html.escape(match["label"])}</a>'
    else:
        yield html.escape(match["literal"] or match["address"])
