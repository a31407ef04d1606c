"""Calendar files as RFC 5545 and RFC 7986 have them: lines, and what stands in them. It writes, and reads nothing."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

LINE_BYTES_MAX: Final = 75
"""Without the line break."""
_BREAK: Final = "\r\n"
# Line breaks are written as `\n`; of other control characters, a text may have tabs only.
_LINE_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SPECIAL: Final = re.compile(r"[\\;,]")


def text(value: str) -> str:
    """Return a value of type TEXT."""
    plain = _CONTROLS.sub("", _LINE_BREAKS.sub("\n", value))
    return _SPECIAL.sub(r"\\\g<0>", plain).replace("\n", "\\n")


def texts(values: Iterable[str]) -> str:
    """Return a list of values of type TEXT."""
    return ",".join(map(text, values))


def utc(at: datetime) -> str:
    """Return a DATE-TIME in UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def line(name: str, value: str) -> str:
    """Return a content line, folded: no line is longer than 75 bytes, and no character is cut in two."""
    whole = f"{name}:{value}"
    if len(whole) * 4 <= LINE_BYTES_MAX or len(whole.encode()) <= LINE_BYTES_MAX:
        return whole + _BREAK
    pieces, start, size = [], 0, 0
    for index, character in enumerate(whole):
        width = len(character.encode())
        if size + width > LINE_BYTES_MAX:
            pieces.append(whole[start:index])
            start, size = index, 1  # the space that continues a line counts too
        size += width
    return f"{_BREAK} ".join([*pieces, whole[start:]]) + _BREAK
