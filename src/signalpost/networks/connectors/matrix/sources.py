"""Where the numbers of Matrix were read. Each homeserver has its own limit for files, which is read at connect."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production

_UPLOAD: Final = documentation(
    "https://element-hq.github.io/synapse/latest/usage/configuration/config_documentation.html#max_upload_size",
    "2026-11-28",
)
_UPLOAD_TOO: Final = production("matrix-synapse 1.163.2", "2026-11-28")
_TEXT: Final = ours(
    "an event may have 65,536 bytes; how much text that is, the check of bytes says, as it depends on the letters",
    "2026-11-28",
)
_FILES: Final = ours("each file is a message of its own, and Synapse takes ten messages at once", "2026-11-28")
_THREAD: Final = ours("Matrix names no limit for messages of a thread", "2026-11-28")
_THUMBNAIL: Final = ours("Matrix names no limit for thumbnails; clients scale them down", "2026-11-28")


def _of_files(kind: str) -> Mapping[str, Sourced]:
    return {
        f"media.{kind}.per_post": Sourced(10, (_FILES,)),
        f"media.{kind}.bytes_max": Sourced(52_428_800, (_UPLOAD, _UPLOAD_TOO)),
    }


SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(50_000, (_TEXT,)),
    "thread_parts_max": Sourced(50, (_THREAD,)),
    "media_total": Sourced(10, (_FILES,)),
    "thumbnail.per_post": Sourced(1, (_THUMBNAIL,)),
    "thumbnail.bytes_max": Sourced(10_000_000, (_THUMBNAIL,)),
    **_of_files("image"),
    **_of_files("gif"),
    **_of_files("video"),
    **_of_files("audio"),
    **_of_files("document"),
}
