"""MP4, QuickTime, HEIC and AVIF: metadata is blanked in place, so nothing moves and nothing is encoded again.

Decision 0070.
"""

import struct
from collections.abc import Iterator
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
    """Blank the EXIF and XMP items of a HEIC or AVIF file; return whether there were any."""
    size = size_of(file)
    meta = next((box for box in boxes(file, 0, size) if box.name == b"meta"), None)
    if meta is None or meta.end - meta.body > _META_BYTES_MAX:
        raise damaged()
    parts = {box.name: box for box in boxes(file, meta.body + 4, meta.end)}
    items = _item_types(file, parts[b"iinf"]) if b"iinf" in parts else {}
    metadata = {number: item_type for number, item_type in items.items() if item_type in (b"Exif", b"mime", b"uri ")}
    if metadata:
        if b"iloc" not in parts:
            raise damaged()
        for number, method, start, length in _extents(_read(file, parts[b"iloc"])):
            if number in metadata:
                if method == 1 and b"idat" in parts:
                    start += parts[b"idat"].body  # noqa: PLW2901
                elif method != 0:
                    raise damaged()
                if start + length > size:
                    raise damaged()
                fill(file, start, start + length)
                if metadata[number] == b"Exif" and length >= len(_NO_EXIF):
                    file.seek(start)
                    file.write(_NO_EXIF)
    changed = _blank_others(file, meta.body + 4, meta.end, _META_KEPT)
    return blank_movie(file, _IMAGE_KEPT) or changed or bool(metadata)


def _read(file: IO[bytes], box: Box) -> bytes:
    file.seek(box.body)
    return file.read(box.end - box.body)


def _item_types(file: IO[bytes], box: Box) -> dict[int, bytes]:
    """Return the type of every item; `iinf` holds one `infe` box for each."""
    version = _read(file, box)[:1]
    item_types = {}
    for entry in boxes(file, box.body + (6 if version == b"\0" else 8), box.end):
        content = _read(file, entry)
        if entry.name == b"infe" and content[:1] in (b"\2", b"\3"):
            width = 2 if content[:1] == b"\2" else 4
            item_types[int.from_bytes(content[4 : 4 + width], "big")] = content[6 + width : 10 + width]
    return item_types


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
