import struct

import pytest

from signalpost.kit.sniff import media_type


def ftyp(major: bytes, *compatible: bytes) -> bytes:
    body = b"ftyp" + major + b"\0\0\0\0" + b"".join(compatible)
    return struct.pack("!I", len(body) + 4) + body


def ebml(doc_type: bytes) -> bytes:
    return b"\x1aE\xdf\xa3\x93\x42\x82" + bytes([0x80 | len(doc_type)]) + doc_type


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"%PDF-1.7", "application/pdf"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0AVI LIST", "video/x-msvideo"),
        (b"RIFF\0\0\0\0WAVEfmt ", None),
        (ebml(b"webm"), "video/webm"),
        (ebml(b"matroska"), "video/x-matroska"),
        (ebml(b"other"), None),
        (b"\x1aE\xdf\xa3", None),
        (b"\x1aE\xdf\xa3\x42\x82", None),
        (ftyp(b"avif"), "image/avif"),
        (ftyp(b"mif1", b"mif1", b"avif"), "image/avif"),
        (ftyp(b"heix"), "image/heic"),
        (ftyp(b"mif1", b"mif1", b"heic"), "image/heic"),
        (ftyp(b"isom", b"iso2", b"avc1"), "video/mp4"),
        (ftyp(b"iso9"), "video/mp4"),
        (ftyp(b"qt  ", b"isom"), "video/quicktime"),
        (ftyp(b"crx "), None),
        (b"\0\0\0\x08moov", "video/quicktime"),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_the_leading_bytes_decide(head: bytes, expected: str | None) -> None:
    assert media_type(head) == expected
