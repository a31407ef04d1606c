"""Where the numbers of Nostr were read. Each relay has limits of its own, which are read at connect (NIP-11)."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, ours

_TEXT: Final = ours(
    "Nostr names no limit; relays do, and strfry as it is shipped refuses events over 65,536 bytes",
    "2026-11-29",
)
_FILES: Final = ours("Nostr names no number of files in a note", "2026-11-29")
_SIZE: Final = ours("each media server has its own limit, which it names when it refuses a file", "2026-11-29")
_ALT_TEXT: Final = ours("Nostr names no limit, but the whole note has to be as short as relays want it", "2026-11-29")
_THREAD: Final = ours("Nostr names no limit for notes of a thread", "2026-11-29")


def _of_files(kind: str) -> Mapping[str, Sourced]:
    return {
        f"media.{kind}.per_post": Sourced(10, (_FILES,)),
        f"media.{kind}.bytes_max": Sourced(100_000_000, (_SIZE,)),
        f"media.{kind}.alt_text_max": Sourced(1_000, (_ALT_TEXT,)),
    }


SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(50_000, (_TEXT,)),
    "thread_parts_max": Sourced(50, (_THREAD,)),
    "media_total": Sourced(10, (_FILES,)),
    **_of_files("image"),
    **_of_files("gif"),
    **_of_files("video"),
    **_of_files("audio"),
}
