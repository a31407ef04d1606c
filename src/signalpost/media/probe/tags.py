"""Matroska, WebM and AVI: tags and attachments are turned into elements that mean nothing, of the same length."""

from collections.abc import Iterator
from typing import IO, NamedTuple

from signalpost.media.probe.boxes import fill, size_of

_SEGMENT, _TAGS, _ATTACHMENTS = 0x18538067, 0x1254C367, 0x1941A469
_VOID_HEAD = 9  # one byte of name, eight of size
_ELEMENTS_MAX = 100_000


class _Element(NamedTuple):
    name: int
    start: int
    body: int
    end: int


def blank_matroska(file: IO[bytes]) -> bool:
    """Blank the tags and attachments of a Matroska or WebM file. Return whether there were any."""
    found = [
        inner
        for outer in _elements(file, 0, size_of(file))
        if outer.name == _SEGMENT
        for inner in _elements(file, outer.body, outer.end)
        if inner.name in (_TAGS, _ATTACHMENTS) and inner.end - inner.start >= _VOID_HEAD
    ]
    for element in found:
        file.seek(element.start)
        file.write(b"\xec" + (1 << 56 | element.end - element.start - _VOID_HEAD).to_bytes(8, "big"))
        fill(file, element.start + _VOID_HEAD, element.end)
    return bool(found)


def _elements(file: IO[bytes], start: int, end: int) -> Iterator[_Element]:
    """Yield elements up to the first of unknown length that is no segment: recorded live, without tags behind it."""
    for _ in range(_ELEMENTS_MAX):
        file.seek(start)
        head = file.read(12)
        width = 9 - head[0].bit_length() if head else 9
        if start >= end or width > 4 or len(head) <= width or not head[width]:
            return
        size_width = 9 - head[width].bit_length()
        body = start + width + size_width
        size = int.from_bytes(head[width : width + size_width], "big") & ((1 << 7 * size_width) - 1)
        unknown = size == (1 << 7 * size_width) - 1
        name = int.from_bytes(head[:width], "big")
        if unknown and name != _SEGMENT:
            return
        following = end if unknown else min(end, body + size)
        yield _Element(name, start, body, following)
        start = following


def blank_avi(file: IO[bytes]) -> bool:
    """Blank the INFO lists of an AVI file. Return whether there were any."""
    changed, start, end = False, 12, size_of(file)
    for _ in range(_ELEMENTS_MAX):
        file.seek(start)
        head = file.read(12)
        following = start + 8 + int.from_bytes(head[4:8], "little")
        if len(head) < 12 or following > end:
            break
        if head[:4] == b"LIST" and head[8:] == b"INFO":
            file.seek(start)
            file.write(b"JUNK")
            fill(file, start + 8, following)
            changed = True
        start = following + (following & 1)
    return changed
