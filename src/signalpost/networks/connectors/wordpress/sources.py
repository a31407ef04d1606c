"""Where the numbers of WordPress were read. It has hardly any: each site, its web server and its PHP have their own."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, ours

_TEXT: Final = ours("WordPress stores up to 4 GB of text; this is as much as a post here may have", "2026-11-28")
_TITLE: Final = ours("WordPress stores up to 64 KB of title; longer ones break most themes", "2026-11-28")
_REPLY: Final = ours(
    "WordPress stores 65,525 bytes of a comment; this is as much as an answer here may have", "2026-11-30"
)
_FILES: Final = ours("WordPress names no number of files in a post", "2026-11-28")
_SIZE: Final = ours("each site has its own limit, which it names when it refuses a file", "2026-11-28")
_ALT_TEXT: Final = ours("WordPress names no limit for alternative texts", "2026-11-28")


def _of_files(kind: str) -> Mapping[str, Sourced]:
    return {f"media.{kind}.per_post": Sourced(20, (_FILES,)), f"media.{kind}.bytes_max": Sourced(100_000_000, (_SIZE,))}


SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(50_000, (_TEXT,)),
    "title.max_length": Sourced(500, (_TITLE,)),
    "reply_text.max_length": Sourced(10_000, (_REPLY,)),
    "media_total": Sourced(20, (_FILES,)),
    **_of_files("image"),
    **_of_files("gif"),
    **_of_files("video"),
    **_of_files("audio"),
    **_of_files("document"),
    "media.image.alt_text_max": Sourced(1_000, (_ALT_TEXT,)),
    "media.gif.alt_text_max": Sourced(1_000, (_ALT_TEXT,)),
}
