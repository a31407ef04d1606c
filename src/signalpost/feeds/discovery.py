"""Feeds that a web page names: `<link rel="alternate" type="application/rss+xml" href="…">`. Pure."""

from html import unescape
from typing import Final
from urllib.parse import urljoin

import regex

from signalpost.kit import foreign

_LINKS_MAX: Final = 200
"""Link elements that are looked at."""
_ATTRIBUTES_MAX: Final = 20
_LINK: Final = regex.compile(r"<link(?=[\s/])", regex.IGNORECASE)
_ATTRIBUTE: Final = regex.compile(
    r"""[\s/]{0,50}+([^\s/>="']{1,40}+)(?:\s{0,10}+=\s{0,10}+(?:"([^"]{0,2100}+)"|'([^']{0,2100}+)'|([^\s>"']{1,2100}+)))?"""
)
_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")


def feed_of(page: str, url: str) -> str | None:
    """Return the address of the first feed that a page names, for comments last; None if it names none."""
    links: list[tuple[str, str]] = []
    for number, start in enumerate(_LINK.finditer(page)):
        if number == _LINKS_MAX:
            break
        attributes = _attributes(page, start.end())
        is_alternate = "alternate" in attributes.get("rel", "").lower().split()
        if is_alternate and attributes.get("type", "").partition(";")[0].strip().lower() in _TYPES:
            address = _absolute(url, attributes.get("href", ""))
            if address is not None:
                links.append((attributes.get("title", "").lower(), address))
    own = [address for title, address in links if "comment" not in title and "/comments/" not in address]
    return next(iter(own or [address for _, address in links]), None)


def _attributes(page: str, at: int) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for _ in range(_ATTRIBUTES_MAX):
        if (match := _ATTRIBUTE.match(page, at)) is None:
            break
        attributes.setdefault(match[1].lower(), unescape(match[2] or match[3] or match[4] or ""))
        at = match.end()
    return attributes


def _absolute(base: str, address: str) -> str | None:
    try:
        return foreign.url(urljoin(base, address.strip())) if address.strip() else None
    except ValueError:
        return None
