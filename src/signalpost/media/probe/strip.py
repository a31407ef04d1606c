"""Removes metadata from images, and anything before or after the image, without encoding a pixel again.

Everything that is not needed to show the image is removed: EXIF with its locations and serial numbers, XMP, comments,
embedded thumbnails, trailing data. Colour profiles stay, and an orientation stays as the only EXIF entry.
"""

import re
import struct
from collections.abc import Iterator

from signalpost.media.probe.errors import damaged, too_large

FRAMES_MAX = 1_000
_NEXT_MARKER = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")
_PNG_KEPT = {
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"cICP", b"sBIT", b"bKGD", b"pHYs",
    b"acTL", b"fcTL", b"fdAT",
}  # fmt: skip
_WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"ICCP"}
_WEBP_EXIF, _WEBP_XMP = 0x08, 0x04


def exif(orientation: int) -> bytes:
    """Return a TIFF block whose only entry is the orientation."""
    return struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def jpeg(data: bytes, orientation: int) -> bytes:
    """Keep the tables, scans, colour profile and colour transform."""
    parts = [b"\xff\xd8"]
    if orientation > 1:
        block = b"Exif\0\0" + exif(orientation)
        parts.append(b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block)
    at = 2
    while True:
        match = _NEXT_MARKER.match(data, at)
        if match is None:
            raise damaged()
        start, at = match.end() - 2, match.end()
        marker = data[at - 1]
        if marker == 0xD9:
            parts.append(b"\xff\xd9")
            return b"".join(parts)
        end = at + int.from_bytes(data[at : at + 2], "big")
        if end > len(data) or end < at + 2:
            raise damaged()
        if marker == 0xDA:  # encoded pixels follow the header of a scan, up to the next marker
            next_marker = _NEXT_MARKER.search(data, end)
            if next_marker is None:
                raise damaged()
            end = next_marker.start()
        if _jpeg_keeps(marker, data[at + 2 : at + 16]):
            parts.append(data[start:end])
        at = end


def _jpeg_keeps(marker: int, head: bytes) -> bool:
    match marker:
        case 0xE0:
            return head.startswith(b"JFIF\0")
        case 0xE2:
            return head.startswith(b"ICC_PROFILE\0")
        case 0xEE:
            return head.startswith(b"Adobe")
        case 0xFE:
            return False
    return not 0xE0 <= marker <= 0xEF


def png(data: bytes, orientation: int) -> bytes:
    """Keep the chunks that show the image, animation included."""
    parts = [data[:8]]
    at = 8
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        name, end = data[at + 4 : at + 8], at + 12 + length
        if end > len(data):
            break
        if name in _PNG_KEPT:
            parts.append(data[at:end])
        if name == b"IHDR" and orientation > 1:
            parts.append(_png_chunk(b"eXIf", exif(orientation)))
        if name == b"IEND":
            return b"".join(parts)
        at = end
    raise damaged()


def _png_chunk(name: bytes, content: bytes) -> bytes:
    import zlib  # noqa: PLC0415 - one image in a thousand needs it

    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def webp(data: bytes, orientation: int) -> bytes:
    """Keep the chunks that show the image, and correct the flags in the header."""
    parts: list[bytes] = []
    for name, content in _riff(data):
        if name not in _WEBP_KEPT:
            continue
        if name == b"VP8X" and content:
            flags = content[0] & ~(_WEBP_EXIF | _WEBP_XMP) | (_WEBP_EXIF if orientation > 1 else 0)
            content = bytes((flags,)) + content[1:]  # noqa: PLW2901
        parts.append(_riff_chunk(name, content))
    if orientation > 1 and parts and parts[0].startswith(b"VP8X"):
        parts.append(_riff_chunk(b"EXIF", exif(orientation)))
    body = b"WEBP" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _riff(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data):
        raise damaged()
    at = 12
    while at + 8 <= end:
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        if at + 8 + length > end:
            raise damaged()
        yield data[at : at + 4], data[at + 8 : at + 8 + length]
        at += 8 + length + (length & 1)


def _riff_chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) & 1)


def gif(data: bytes) -> tuple[bytes, int, int]:
    """Keep frames, their timing and the loop count; return the bytes, the number of frames and their milliseconds.

    Raises:
        InvalidFile: damaged, or more than `FRAMES_MAX` frames.
    """
    at = 13 + _colour_table(data[10:11])
    parts, frames, milliseconds = [data[:at]], 0, 0
    while at < len(data) and data[at] != 0x3B:
        start = at
        if data[at] == 0x2C:
            at = _after_blocks(data, at + 11 + _colour_table(data[at + 9 : at + 10]))
            frames += 1
            keep = True
        elif data[at] == 0x21:
            label, first = data[at + 1 : at + 2], data[at + 3 : at + 14]
            at = _after_blocks(data, at + 2)
            keep = label == b"\xf9" or (label == b"\xff" and first in (b"NETSCAPE2.0", b"ANIMEXTS1.0"))
            if label == b"\xf9":
                milliseconds += 10 * int.from_bytes(data[start + 4 : start + 6], "little")
        else:
            raise damaged()
        if frames > FRAMES_MAX:
            raise too_large(f"An animation may have at most {FRAMES_MAX} frames.")
        if keep:
            parts.append(data[start:at])
    return b"".join([*parts, b"\x3b"]), frames, milliseconds


def _colour_table(flags: bytes) -> int:
    return 3 << ((flags[0] & 7) + 1) if flags and flags[0] & 0x80 else 0


def _after_blocks(data: bytes, at: int) -> int:
    while at < len(data):
        size = data[at]
        at += 1 + size
        if size == 0:
            return at
    raise damaged()
