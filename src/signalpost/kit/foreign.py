"""Values from outside: responses of networks and of servers that users name, web pages, sign-in responses.

Every such value passes here before it is stored or shown. Text for people is cleaned and cut; an id, an address, a
number or a date that cannot be right is None, because a part of it would be another one.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

LINE_MAX: Final = 500
TEXT_MAX: Final = 1_000
ID_MAX: Final = 500
"""Characters of a remote id: PostgreSQL indexes at most 2,704 bytes."""
URL_MAX: Final = 2_048
SECRET_MAX: Final = 8_192
"""Characters of a token, or of a text inside a JSON value: no id, address or token is longer."""
INTEGER_MAX: Final = (1 << 31) - 1
NUMBER_MAX: Final = (1 << 53) - 1
"""Of numbers in JSON: beyond it, other programs read another number."""
DEPTH_MAX: Final = 8
ITEMS_MAX: Final = 500
"""Values of a JSON document, over all its levels."""
EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2100, 1, 1, tzinfo=UTC)

# Control characters; a database text holds no U+0000. Then line and paragraph separators.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROLS_IN_LINES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# What reorders the text around it or belongs to no text. Joiners, direction marks and tag characters stay: emoji, flags
# and words of Persian and Indic languages consist of them.
_STRAY = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def line(value: Any, length_max: int = LINE_MAX) -> str:
    """Return text for people on one line, cut to a length; empty if `value` is not text."""
    if not isinstance(value, str):
        return ""
    cleaned = _without_stray(_CONTROLS.sub(" ", value[: 4 * length_max]))
    return _cut(" ".join(cleaned.split()), length_max)


def line_or_none(value: Any, length_max: int = LINE_MAX) -> str | None:
    """Return `line`, or None if nothing is left."""
    return line(value, length_max) or None


def text(value: Any, length_max: int = TEXT_MAX) -> str:
    """Return text for people, with its line breaks, cut to a length; empty if `value` is not text."""
    if not isinstance(value, str):
        return ""
    return _cut(_without_stray(_CONTROLS_IN_LINES.sub(" ", value[: 4 * length_max])), length_max)


def text_or_none(value: Any, length_max: int = TEXT_MAX) -> str | None:
    """Return `text`, or None if nothing is left."""
    return text(value, length_max) or None


def identifier(value: Any, length_max: int = ID_MAX) -> str | None:
    """Return an id, code or token unchanged; None if it is empty, too long or contains a control character."""
    if not isinstance(value, str) or not 0 < len(value) <= length_max:
        return None
    return None if _CONTROLS.search(value) or _SURROGATE.search(value) else value


def url(value: Any) -> str | None:
    """Return an address unchanged; None if a browser must not be sent there."""
    address = identifier(value, URL_MAX)
    return address if address is not None and address.startswith(("https://", "http://")) else None


def integer(value: Any, *, minimum: int = 0, maximum: int = INTEGER_MAX) -> int | None:
    """Return a whole number; None if it is not one or is out of range."""
    return value if type(value) is int and minimum <= value <= maximum else None


def seconds(value: Any, *, maximum: float) -> float | None:
    """Return a duration, at most `maximum`; None if it is not a number of seconds."""
    if type(value) not in (int, float) or not value >= 0:  # NaN is not
        return None
    return float(min(value, maximum))


def instant(value: Any) -> datetime | None:
    """Return a time; None if it has no time zone or is not of this century."""
    usable = isinstance(value, datetime) and value.tzinfo is not None and EARLIEST <= value < LATEST
    return value if usable else None


def json(value: Any) -> Any:
    """Return a JSON value with clean texts and keys; what is too deep, too much or out of range becomes None."""
    return _Json().clean(value, DEPTH_MAX)


class _Json:
    """Cleans one document within its budget of values."""

    def __init__(self) -> None:
        self._left = ITEMS_MAX

    def clean(self, value: Any, depth: int) -> Any:
        """Return the clean value."""
        self._left -= 1
        if isinstance(value, Mapping) and depth:
            return {line(str(key), 100): self.clean(item, depth - 1) for key, item in self._some(value.items())}
        if isinstance(value, list | tuple) and depth:
            return [self.clean(item, depth - 1) for item in self._some(value)]
        if isinstance(value, str):
            return text(value, SECRET_MAX)
        if isinstance(value, bool):
            return value
        return value if isinstance(value, int | float) and abs(value) <= NUMBER_MAX else None

    def _some(self, items: Any) -> Any:
        for item in items:
            if self._left <= 0:
                return
            yield item


def _without_stray(value: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", _STRAY.sub("", value))


def _cut(value: str, length_max: int) -> str:
    return value if len(value) <= length_max else value[: length_max - 1] + "…"
