"""The file types that are accepted, recognised by leading bytes only: a name or a declared type proves nothing.

Standard library only: the child process that opens files imports it too.
"""

from dataclasses import dataclass
from typing import Literal

from signalpost.kit import sniff
from signalpost.kit.sniff import HEAD_BYTES

__all__ = ["HEAD_BYTES"]

IMAGE_BYTES_MAX = 25_000_000
DOCUMENT_BYTES_MAX = 100_000_000

MediaKind = Literal["image", "video", "gif", "document", "audio"]
ContentType = Literal[
    "image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "image/avif", "video/mp4", "video/quicktime",
    "video/webm", "video/x-matroska", "video/x-msvideo", "application/pdf",
]  # fmt: skip
"""The keys of `ALLOWED`, as a type."""


@dataclass(frozen=True)  # the examining process may import nothing later, and Pillow needs what this imports (`copy`)
class FileType:
    """An accepted type. `decoder` is its name in Pillow or FFmpeg; `extensions[0]` is the usual one."""

    mime_type: str
    kind: MediaKind
    extensions: tuple[str, ...]
    decoder: str = ""

    def bytes_max(self, file_bytes: int) -> int:
        """Return the largest size of a file of this type, if no file may be larger than `file_bytes`."""
        if self.kind == "video":
            return file_bytes
        return min(DOCUMENT_BYTES_MAX if self.kind == "document" else IMAGE_BYTES_MAX, file_bytes)


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

ALLOWED = {file_type.mime_type: file_type for file_type in (
    JPEG, PNG, WEBP, GIF, HEIC, AVIF, MP4, QUICKTIME, WEBM, MATROSKA, AVI, PDF,
)}  # fmt: skip


def recognize(head: bytes) -> FileType | None:
    """Return the type of the file that starts with `head`, or None if the type is not accepted."""
    return ALLOWED.get(sniff.media_type(head) or "")


def safe_name(name: str | None, file_type: FileType) -> str:
    """Return a file name without folders and special characters, with an extension of its type: 1 to 200 characters.

    `evil.html` that is a JPEG becomes `evil.html.jpg`, so a browser that opens a saved copy never runs it.
    """
    base = (name or "").replace("\\", "/").rpartition("/")[2]
    base = "".join(char for char in base if char.isprintable() and char not in '<>:"|?*').strip(" .")
    stem, dot, extension = base.rpartition(".")
    if not dot or extension.lower() not in file_type.extensions:
        stem, extension = base, file_type.extensions[0]
    return f"{stem[:190].rstrip(' .') or 'file'}.{extension}"
