"""What is taken in: an allow list, judged by first bytes only. A name or a declared type proves nothing.

Standard library only: the child process that opens files imports it too.
"""

from dataclasses import dataclass
from typing import Literal

HEAD_BYTES = 4096
"""So many first bytes are enough to tell every format."""

IMAGE_BYTES_MAX = 25_000_000
DOCUMENT_BYTES_MAX = 100_000_000

Kind = Literal["image", "video", "gif", "document", "audio"]


@dataclass(frozen=True)
class FileType:
    """A file format. `decoder` is what Pillow or FFmpeg calls it; `extensions[0]` is the usual one."""

    mime_type: str
    kind: Kind
    extensions: tuple[str, ...]
    decoder: str = ""


JPEG = FileType("image/jpeg", "image", ("jpg", "jpeg", "jpe", "jfif"), "JPEG")
PNG = FileType("image/png", "image", ("png", "apng"), "PNG")
WEBP = FileType("image/webp", "image", ("webp",), "WEBP")
GIF = FileType("image/gif", "gif", ("gif",), "GIF")
HEIC = FileType("image/heic", "image", ("heic", "heif"), "HEIF")
AVIF = FileType("image/avif", "image", ("avif",), "AVIF")
MP4 = FileType("video/mp4", "video", ("mp4", "m4v"), "mov")
QUICKTIME = FileType("video/quicktime", "video", ("mov", "qt"), "mov")
WEBM = FileType("video/webm", "video", ("webm",), "matroska")
MATROSKA = FileType("video/x-matroska", "video", ("mkv",), "matroska")
AVI = FileType("video/x-msvideo", "video", ("avi",), "avi")
PDF = FileType("application/pdf", "document", ("pdf",))

ALLOWED = {found.mime_type: found for found in (
    JPEG, PNG, WEBP, GIF, HEIC, AVIF, MP4, QUICKTIME, WEBM, MATROSKA, AVI, PDF,
)}  # fmt: skip

_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis"}
_AVIF_BRANDS = {b"avif", b"avis"}
_MP4_BRANDS = {b"isom", b"mp41", b"mp42", b"avc1", b"M4V ", b"dash", b"MSNV", b"mp71", b"hvc1", b"av01"}


_STARTS = {
    b"\xff\xd8\xff": JPEG,
    b"\x89PNG\r\n\x1a\n": PNG,
    b"GIF87a": GIF,
    b"GIF89a": GIF,
    b"%PDF-": PDF,
}


def file_type_of(head: bytes) -> FileType | None:
    """Return the format that `head`, the first bytes of a file, belongs to, or None for what is not taken in."""
    for start, found in _STARTS.items():
        if head.startswith(start):
            return found
    if head.startswith(b"RIFF"):
        return {b"WEBP": WEBP, b"AVI ": AVI}.get(head[8:12])
    if head.startswith(b"\x1aE\xdf\xa3"):
        return _matroska(head)
    if head[4:8] == b"ftyp":
        return _iso(head)
    # QuickTime from before there was `ftyp`
    return QUICKTIME if head[4:8] in (b"moov", b"mdat", b"wide") else None


def _matroska(head: bytes) -> FileType | None:
    at = head.find(b"\x42\x82", 0, 64)  # the DocType element of the EBML head
    if at < 0:
        return None
    name = head[at + 3 : at + 3 + (head[at + 2] & 0x7F)].rstrip(b"\0")
    return {b"webm": WEBM, b"matroska": MATROSKA}.get(name)


def _iso(head: bytes) -> FileType | None:
    end = min(int.from_bytes(head[:4], "big"), len(head))
    major = head[8:12]
    brands = {major} | {head[at : at + 4] for at in range(16, end - 3, 4)}
    if major == b"qt  ":
        return QUICKTIME
    if brands & _AVIF_BRANDS:
        return AVIF
    if brands & _HEIC_BRANDS:
        return HEIC
    return MP4 if any(brand in _MP4_BRANDS or brand.startswith(b"iso") for brand in brands) else None


def tidy_name(given: str | None, found: FileType) -> str:
    """Return a file name without folders and odd characters, ending as its real format does: 1 to 200 characters.

    `evil.html` that is a JPEG becomes `evil.html.jpg`, so that saving it can never make it active.
    """
    base = (given or "").replace("\\", "/").rpartition("/")[2]
    base = "".join(char for char in base if char.isprintable() and char not in '<>:"|?*').strip(" .")
    stem, dot, extension = base.rpartition(".")
    if not dot or extension.lower() not in found.extensions:
        stem, extension = base, found.extensions[0]
    return f"{stem[:190].rstrip(' .') or 'file'}.{extension}"
