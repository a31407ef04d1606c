"""Texts as Telegram reads them: parse modes, what is left to see of a text, and its length."""

import html
import re
from collections.abc import Callable, Mapping

from simulator.text import utf16

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z0-9-]*)(?P<rest>[^<>]*)>")
_TAGS = frozenset((
    "b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "span", "tg-spoiler", "a", "tg-emoji", "code", "pre",
    "blockquote", "tg-time",
))  # fmt: skip
_RESERVED = frozenset("_*[]()~`>#+-=|{}.!")
_MARKERS = ("||", "__", "_", "*", "~", "`")


class BadEntities(Exception):
    """The text cannot be read in its parse mode; the message is what Telegram says after "can't parse entities: "."""


def visible(text: str, mode: str | None) -> str:
    """Return what a text shows, without white space around it.

    Raises:
        BadEntities: see there.
        KeyError: there is no such parse mode.
    """
    return (text if mode is None else _MODES[mode.lower()](text)).strip()


def length(text: str) -> int:
    """Return how long a text is for Telegram's limits, which count UTF-16 units after the entities were parsed."""
    return utf16(text)


def _of_html(text: str) -> str:
    shown: list[str] = []
    opened: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "<":
            end = text.find("<", at)
            end = len(text) if end < 0 else end
            shown.append(html.unescape(text[at:end]))
            at = end
            continue
        found = _TAG.match(text, at)
        if found is None:
            raise BadEntities(f"Unclosed start tag at byte offset {_bytes(text, at)}")
        name = found["name"].lower()
        if not found["end"]:
            if name not in _TAGS:
                raise BadEntities(f'Unsupported start tag "{name}" at byte offset {_bytes(text, at)}')
            opened.append(name)
        elif not opened or opened.pop() != name:
            raise BadEntities(f'Unmatched end tag at byte offset {_bytes(text, at)}, found "</{name}>"')
        at = found.end()
    if opened:
        raise BadEntities(f'Can\'t find end tag corresponding to start tag "{opened[-1]}"')
    return "".join(shown)


def _of_markdown(text: str) -> str:
    shown: list[str] = []
    opened: list[str] = []
    at = 0
    while at < len(text):
        marker = next((one for one in _MARKERS if text.startswith(one, at)), "")
        step = len(marker) or 1
        if text[at] == "\\" and at + 1 < len(text):
            shown.append(text[at + 1])
            step = 2
        elif marker:
            if opened and opened[-1] == marker:
                opened.pop()
            else:
                opened.append(marker)
        elif text[at] == "[":
            opened.append("[")
        elif text[at] == "]" and opened and opened[-1] == "[" and text.startswith("](", at) and ")" in text[at:]:
            opened.pop()
            step = text.index(")", at) + 1 - at
        elif text[at] == ">" and (at == 0 or text[at - 1] == "\n"):
            pass
        elif text[at] in _RESERVED:
            raise BadEntities(f"Character '{text[at]}' is reserved and must be escaped with the preceding '\\'")
        else:
            shown.append(text[at])
        at += step
    if opened:
        raise BadEntities("Can't find end of an entity")
    return "".join(shown)


def _bytes(text: str, at: int) -> int:
    return len(text[:at].encode())


_MODES: Mapping[str, Callable[[str], str]] = {"html": _of_html, "markdownv2": _of_markdown}
