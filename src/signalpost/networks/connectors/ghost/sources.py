"""Where the numbers of Ghost were read: in its schema, and by people whom it refused more."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, ours, production, specification

_SCHEMA: Final = specification(
    "https://github.com/TryGhost/Ghost/blob/main/ghost/core/core/server/data/schema/schema.js", "2026-11-28"
)
_TITLE: Final = production("https://github.com/betschki/ghost-myrtle/issues/2", "2024-02-12")
_ALT_TEXT: Final = production("https://github.com/TryGhost/Ghost/pull/29681", "2026-07-30")
_TEXT: Final = ours("Ghost stores up to 1 GB of text; this is as much as a post here may have", "2026-11-28")
_FILES: Final = ours("Ghost names no number of files in a post", "2026-11-28")
_SIZE: Final = ours("each site has its own limit, which it names when it refuses a file", "2026-11-28")


def _of_files(kind: str) -> Mapping[str, Sourced]:
    return {f"media.{kind}.per_post": Sourced(20, (_FILES,)), f"media.{kind}.bytes_max": Sourced(100_000_000, (_SIZE,))}


SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(50_000, (_TEXT,)),
    "title.max_length": Sourced(255, (_SCHEMA, _TITLE)),
    "media_total": Sourced(20, (_FILES,)),
    **_of_files("image"),
    **_of_files("gif"),
    **_of_files("video"),
    **_of_files("audio"),
    **_of_files("document"),
    "media.image.alt_text_max": Sourced(191, (_SCHEMA, _ALT_TEXT)),
    "media.gif.alt_text_max": Sourced(191, (_SCHEMA, _ALT_TEXT)),
}
