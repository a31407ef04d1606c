"""Lengths of texts as networks count them, written from their documentation and independent of the service's."""

import unicodedata
from collections.abc import Callable

import regex

_CLUSTER = regex.compile(r"\X")
_EMOJI = regex.compile(r"\p{Extended_Pictographic}|\p{Regional_Indicator}|[0-9#*]\ufe0f?\u20e3")
_URL = regex.compile(
    r"https?://[^\s<>]*[^\s<>.,;:!?'\")\]]"
    r"|(?<![@\w./-])(?:[\w-]+\.)+(?:com|org|net|edu|gov|io|dev|app|co|me|info|de|fr|uk|eu)(?![\w@-])(?:/(?:[^\s<>]*[^\s<>.,;:!?'\")\]])?)?",
    regex.IGNORECASE,
)
_HTTP = regex.compile(r"https?://[^\s<>]*[^\s<>.,;:!?'\")\]]", regex.IGNORECASE)
_REMOTE = regex.compile(r"(?<![\w/])(@\w+)@[\w.-]*\w")
_LIGHT = ((0, 4351), (8192, 8205), (8208, 8223), (8242, 8247))


def weighted(text: str) -> int:
    """Return the length of a post on X (twitter-text, configuration v3)."""
    text = unicodedata.normalize("NFC", text)
    bare, urls = _URL.subn("", text)
    length = 23 * urls
    for cluster in _CLUSTER.findall(bare):
        if _EMOJI.search(cluster):
            length += 2
        else:
            length += sum(1 if any(low <= ord(char) <= high for low, high in _LIGHT) else 2 for char in cluster)
    return length


def graphemes(text: str) -> int:
    """Return how many characters a reader sees."""
    return len(_CLUSTER.findall(text))


def utf16(text: str) -> int:
    """Return how many UTF-16 units a text has."""
    return len(text.encode("utf-16-le")) // 2


def urls(text: str) -> list[str]:
    """Return the addresses in a text that X makes links of."""
    return [found[0] for found in _URL.finditer(text)]


def replace_urls(text: str, shorten: Callable[[str], str]) -> str:
    """Return the text with each address replaced."""
    return _URL.sub(lambda found: shorten(found[0]), text)


def of_fediverse(text: str) -> int:
    """Return the length of a post on Mastodon: graphemes; an address counts 23, of `@user@server` only `@user`."""
    text, count = _HTTP.subn("", text)
    return graphemes(_REMOTE.sub(r"\1", text)) + 23 * count
