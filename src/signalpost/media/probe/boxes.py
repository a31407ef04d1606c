"""MP4, QuickTime, HEIC and AVIF: metadata is blanked in place, so nothing moves and nothing is encoded again.

Decision 0070.
"""

import struct
from collections.abc import Iterable, Iterator
from io import SEEK_END
from typing import IO, NamedTuple

from signalpost.media.probe.errors import damaged

_BOXES_MAX = 100_000  # a real file has hundreds, a long fragmented one some ten thousand
_META_BYTES_MAX = 16_000_000
_ZEROS = bytes(1 << 20)
_NO_EXIF = struct.pack(">I2sHIHI", 0, b"MM", 42, 8, 0, 0)  # offset of the TIFF block, then a block without entries


_KEPT = {
    container: frozenset(map(str.encode, names.split()))
    for container, names in {
        b"": "ftyp styp moov moof mfra mdat imda sidx ssix pdin",
        b"moov": "mvhd trak mvex iods cmov",
        b"trak": "tkhd edts tref mdia tapt load matt clip crgn kmat imap",
        b"edts": "elst",
        b"mdia": "mdhd hdlr minf elng",
        b"minf": "vmhd smhd hmhd nmhd sthd gmhd hdlr dinf stbl",
        b"stbl": "stsd stts ctts cslg stss stsh stps stsc stsz stz2 stco co64 sdtp stdp padb sbgp sgpd subs saiz saio"
        " senc",
        b"mvex": "mehd trex leva trep",
        b"moof": "mfhd traf",
        b"traf": "tfhd tfdt trun sdtp sbgp sgpd subs saiz saio senc",
        b"mfra": "tfra mfro",
    }.items()
}
"""The boxes that playing needs, by the box that contains them; "" is the file. None of them is made for other text."""
_IMAGE_KEPT = _KEPT[b""] | {b"meta"}
_META_KEPT = frozenset({b"hdlr", b"pitm", b"iinf", b"iloc", b"iprp", b"iref", b"idat", b"grpl", b"dinf", b"ipro"})
_IMAGE_ITEMS = frozenset(b"hvc1 hev1 lhv1 hvt1 av01 avc1 vvc1 evc1 jpeg j2k1 unci grid iden iovl tmap mski".split())
"""Types of items that are or make pixels. All others are metadata, also those that nobody has heard of."""


class Box(NamedTuple):
    """The position of a box: `start` of its header, `body` of its content, `end` after its last byte."""

    name: bytes
    start: int
    body: int
    end: int


def size_of(file: IO[bytes]) -> int:
    return file.seek(0, SEEK_END)


def boxes(file: IO[bytes], start: int, end: int) -> Iterator[Box]:
    """Yield the boxes between two offsets.

    Raises:
        InvalidFile: a box extends beyond the end, so the file is truncated.
    """
    for _ in range(_BOXES_MAX):
        if end - start < 8:
            return
        file.seek(start)
        head = file.read(16)
        size, name, body = int.from_bytes(head[:4], "big"), head[4:8], start + 8
        if size == 1:
            size, body = int.from_bytes(head[8:16], "big"), start + 16
        elif size == 0:
            size = end - start
        if start + size > end or start + size < body:
            raise damaged()
        yield Box(name, start, body, start + size)
        start += size
    raise damaged()


def blank_movie(file: IO[bytes], needed: frozenset[bytes] = _KEPT[b""]) -> bool:
    """Blank every box that playing does not need (locations, devices, names, comments); return whether there were any.

    `needed` names the boxes of the outermost level that stay.
    """
    return _blank_others(file, 0, size_of(file), needed)


def _blank_others(file: IO[bytes], start: int, end: int, needed: frozenset[bytes]) -> bool:
    changed = False
    for box in boxes(file, start, end):
        if box.name not in needed:
            changed |= _free(file, box)
        elif box.name in _KEPT:
            changed |= _blank_others(file, box.body, box.end, _KEPT[box.name])
    return changed


def _free(file: IO[bytes], box: Box) -> bool:
    if box.name == b"free" and is_blank(file, box.body, box.end):
        return False
    file.seek(box.start + 4)
    file.write(b"free")
    fill(file, box.body, box.end)
    return True


def is_blank(file: IO[bytes], start: int, end: int) -> bool:
    """Return whether there are only zeros between two offsets."""
    file.seek(start)
    while start < end:
        piece = file.read(min(len(_ZEROS), end - start))
        if not piece or piece.strip(b"\0"):
            return False
        start += len(piece)
    return True


def fill(file: IO[bytes], start: int, end: int) -> None:
    file.seek(start)
    while start < end:
        start += file.write(_ZEROS[: end - start])


def blank_image(file: IO[bytes]) -> bool:
    """Blank all items of a HEIC or AVIF file but those of its pixels, as EXIF and XMP; return whether there were any.

    Raises:
        InvalidFile: it is truncated, or has what no decoder expects.
    """
    size = size_of(file)
    meta = _only(box for box in boxes(file, 0, size) if box.name == b"meta")
    if meta.end - meta.body > _META_BYTES_MAX:
        raise damaged()
    parts = [box for box in boxes(file, meta.body + 4, meta.end) if box.name in (b"iinf", b"iloc", b"idat")]
    items = _item_types(file, _only(box for box in parts if box.name == b"iinf"))
    places = _read(file, _only(box for box in parts if box.name == b"iloc"))
    inside = next((box.body for box in parts if box.name == b"idat"), None)
    blanked = False
    for number, method, start, length in _extents(places):
        if items.get(number) in _IMAGE_ITEMS:
            continue
        if method == 1 and inside is not None:
            start += inside  # noqa: PLW2901
        elif method != 0:
            raise damaged()
        if start + length > size:
            raise damaged()
        fill(file, start, start + length)
        if items.get(number) == b"Exif" and length >= len(_NO_EXIF):
            file.seek(start)
            file.write(_NO_EXIF)
        blanked = True
    changed = _blank_others(file, meta.body + 4, meta.end, _META_KEPT)
    return blank_movie(file, _IMAGE_KEPT) or changed or blanked


def _only(candidates: Iterable[Box]) -> Box:
    """Return the one box. Of several, a decoder may believe another than this code.

    Raises:
        InvalidFile: there is none, or more than one.
    """
    listed = list(candidates)
    if len(listed) != 1:
        raise damaged()
    return listed[0]


def _read(file: IO[bytes], box: Box) -> bytes:
    file.seek(box.body)
    return file.read(box.end - box.body)


def _item_types(file: IO[bytes], box: Box) -> dict[int, bytes]:
    """Return the type of every item; `iinf` holds one `infe` box for each.

    Raises:
        InvalidFile: a type or a name is no text; libheif hands such on, and what binds it to Python crashes.
    """
    version = _read(file, box)[:1]
    item_types = {}
    for entry in boxes(file, box.body + (6 if version == b"\0" else 8), box.end):
        content = _read(file, entry)
        width = {b"\2": 2, b"\3": 4}.get(content[:1])
        if entry.name != b"infe" or width is None:
            raise damaged()
        item_type, names = content[6 + width : 10 + width], content[10 + width :]
        if not (item_type.isascii() and item_type.decode().isprintable() and _is_text(names)):
            raise damaged()
        item_types[int.from_bytes(content[4 : 4 + width], "big")] = item_type
    return item_types


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _extents(content: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield (item, construction method, offset, length) of every extent listed in `iloc`."""
    version, sizes = content[0], int.from_bytes(content[4:6], "big")
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_size = sizes & 15 if version else 0
    at = 6

    def number(width: int) -> int:
        nonlocal at
        at += width
        if at > len(content):
            raise damaged()
        return int.from_bytes(content[at - width : at], "big")

    wide = 4 if version == 2 else 2
    for _ in range(number(wide)):
        item = number(wide)
        method = number(2) & 15 if version else 0
        number(2)  # data reference index: other files are never read
        base = number(base_size)
        for _ in range(number(2)):
            number(index_size)
            yield item, method, base + number(offset_size), number(length_size)
