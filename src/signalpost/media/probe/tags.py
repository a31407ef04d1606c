"""Matroska, WebM and AVI: what playing does not need is overwritten with padding of the same length."""

from collections.abc import Iterator
from typing import IO, NamedTuple

from signalpost.media.probe.boxes import fill, is_blank, size_of

_HEADER, _SEGMENT, _TRACKS, _TRACK, _INFO = 0x1A45DFA3, 0x18538067, 0x1654AE6B, 0xAE, 0x1549A966
_VOID, _CRC = 0xEC, 0xBF
_BLANKED = {
    _SEGMENT: {0x1254C367, 0x1941A469, 0x1043A770},  # tags, attachments, chapters
    _INFO: {0x7BA9, 0x4461, 0x7384, 0x3C83AB, 0x3E83BB},  # title, date, names of this, the last and the next file
    _TRACKS: set[int](),
    _TRACK: {0x536E},  # name
}
"""Elements that playing does not need, by the element that contains them."""
_ELEMENTS_MAX = 100_000


class _Element(NamedTuple):
    name: int
    start: int
    body: int
    end: int


def blank_matroska(file: IO[bytes]) -> bool:
    """Blank what playing does not need of a Matroska or WebM file; return whether there was anything."""
    changed, at, end = False, 0, size_of(file)
    for outer in _elements(file, 0, end):
        if outer.name == _SEGMENT:
            changed |= _blank_elements(file, outer)
        elif outer.name != _HEADER and not _is_padding(file, outer):
            _void(file, outer)
            changed = True
        at = outer.end
    if not is_blank(file, at, end):  # not an element
        fill(file, at, end)
        changed = True
    return changed


def _blank_elements(file: IO[bytes], container: _Element) -> bool:
    checksum, changed = None, False
    for element in _elements(file, container.body, container.end):
        if element.name == _CRC:
            checksum = element
        elif element.name in _BLANKED:
            changed |= _blank_elements(file, element)
        elif element.name in _BLANKED[container.name] or (element.name == _VOID and not _is_padding(file, element)):
            _void(file, element)
            changed = True
    if changed and checksum is not None:  # of what was there before
        _void(file, checksum)
    return changed


def _is_padding(file: IO[bytes], element: _Element) -> bool:
    return element.name == _VOID and is_blank(file, element.body, element.end)


def _void(file: IO[bytes], element: _Element) -> None:
    """Overwrite an element with one of padding that is as long."""
    length = element.end - element.start
    file.seek(element.start)
    if length <= 128:
        file.write(bytes((_VOID, 0x80 | length - 2)))
    else:
        file.write(bytes((_VOID,)) + (1 << 56 | length - 9).to_bytes(8, "big"))
    fill(file, file.tell(), element.end)


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
