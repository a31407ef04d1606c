"""The text that an item becomes, and whether it becomes one: template, filter, and what networks allow. Pure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import regex

from signalpost.feeds.document import Item
from signalpost.networks import counting
from signalpost.networks.contract import Facts

PLACES: Final = ("title", "summary", "link", "author", "categories")
DEFAULT: Final = "{title}\n\n{link}"
_PLACE: Final = regex.compile(r"\{([A-Za-z_]{1,40}+)\}")
_NOT_A_TAG: Final = regex.compile(r"[^\p{L}\p{M}\p{N}_]++")
_SHORTEST: Final = 20
"""Characters of a summary below which it is left out, and of a title below which it is not cut further."""


def unknown_places(template: str) -> list[str]:
    """Return the places of a template that no item can fill."""
    return [name for name in dict.fromkeys(_PLACE.findall(template)) if name not in PLACES]


def passes(item: Item, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Whether an item has one of the words that it needs, and none that it must not have, regardless of case."""
    text = "\n".join([item.title, item.summary, item.author, *item.categories]).casefold()
    needed = [word.casefold() for word in include]
    return (not needed or any(word in text for word in needed)) and not any(word.casefold() in text for word in exclude)


def text_of(template: str, item: Item, networks: Sequence[Facts] = ()) -> str:
    """Return the text of an item. If a network would refuse it, its summary is shortened, and then its title."""
    text = _filled(template, item.title, item.summary, item)
    if _fits(text, networks):
        return text
    summary = _longest(lambda summary: _filled(template, item.title, summary, item), item.summary, networks)
    if summary is not None:
        return summary
    title = _longest(lambda title: _filled(template, title, "", item), item.title, networks)
    return _filled(template, item.title, "", item) if title is None else title


def _filled(template: str, title: str, summary: str, item: Item) -> str:
    values = {
        "title": title, "summary": summary, "link": item.link or "", "author": item.author,
        "categories": " ".join(tag for name in item.categories if (tag := _tag(name))),
    }  # fmt: skip
    text = _PLACE.sub(lambda place: values.get(place[1], place[0]), template)
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(line for index, line in enumerate(lines) if line or (index and lines[index - 1])).strip()


def _tag(name: str) -> str:
    """Return a category as a hashtag."""
    word = _NOT_A_TAG.sub("", name)
    return f"#{word}" if word and not word.isdigit() else ""


def _fits(text: str, networks: Sequence[Facts]) -> bool:
    return all(counting.text_length(facts, text) <= facts.text.max_length for facts in networks)


def _longest(filled: Callable[[str], str], value: str, networks: Sequence[Facts]) -> str | None:
    """Return the text with the longest beginning of a value that fits, or with none of it; None: nothing fits."""
    low, high = 0, len(value)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(filled(_cut(value, middle)), networks) else (low, middle - 1)
    start = _cut(value, low) if low >= _SHORTEST else ""
    text = filled(start)
    return text if _fits(text, networks) else None


def _cut(value: str, length: int) -> str:
    """Return the beginning of a text, to the end of a word."""
    if length >= len(value):
        return value
    start = value[: max(0, length - 1)]
    head, _, _ = start.rpartition(" ")
    return f"{head or start}…" if start else ""
