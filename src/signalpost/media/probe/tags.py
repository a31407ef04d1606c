"""Matroska, WebM and AVI: tags and attachments are overwritten with padding elements of the same length."""

from collections.abc import Iterator
from typing import IO, NamedTuple

from signalpost.media.probe.boxes import fill, size_of

_SEGMENT, _TAGS, _ATTACHMENTS = 0x18538067, 0x1254C367, 0x1941A469
_VOID_HEADER_BYTES = 9  # one byte of id, eight of size
_ELEMENTS_MAX = 100_000


class _Element(NamedTuple):
    name: int
    start: int
    body: int
    end: int


def blank_matroska(file: IO[bytes]) -> bool:
    """Blank the tags and attachments of a Matroska or WebM file; return whether there were any."""
    metadata = [
        inner
        for outer in _elements(file, 0, size_of(file))
        if outer.name == _SEGMENT
        for inner in _elements(file, outer.body, outer.end)
        if inner.name in (_TAGS, _ATTACHMENTS) and inner.end - inner.start >= _VOID_HEADER_BYTES
    ]
    for element in metadata:
        file.seek(element.start)
        file.write(b"\xec" + (1 << 56 | element.end - element.start - _VOID_HEADER_BYTES).to_bytes(8, "big"))
        fill(file, element.start + _VOID_HEADER_BYTES, element.end)
    return bool(metadata)


def _elements(file: IO[bytes], start: int, end: int) -> Iterator[_Element]:
    """Yield elements up to the first of unknown length that is not a segment: live recordings have no tags after it."""
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
        after = end if unknown else min(end, body + size)
        yield _Element(name, start, body, after)
        start = after


def blank_avi(file: IO[bytes]) -> bool:
    """Blank the INFO lists of an AVI file; return whether there were any."""
    changed, start, end = False, 12, size_of(file)
    for _ in range(_ELEMENTS_MAX):
        file.seek(start)
        head = file.read(12)
        after = start + 8 + int.from_bytes(head[4:8], "little")
        if len(head) < 12 or after > end:
            break
        if head[:4] == b"LIST" and head[8:] == b"INFO":
            file.seek(start)
            file.write(b"JUNK")
            fill(file, start + 8, after)
            changed = True
        start = after + (after & 1)
    return changed
