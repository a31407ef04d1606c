"""Where the numbers of Threads were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours
from signalpost.networks.integrators import AYRSHARE, ORSHOT, ZERNIO

_DOCS: Final = documentation("https://developers.facebook.com/docs/threads/posts", "2026-11-22")
_OURS: Final = ours("Threads names no limit for a chain of replies", "2026-11-22")

SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(
        500,
        (
            _DOCS,
            ORSHOT,
            ZERNIO,
        ),
    ),
    "thread_parts_max": Sourced(50, (_OURS,)),
    "media.image.per_post": Sourced(
        20,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
    "media.image.bytes_max": Sourced(
        8_000_000,
        (
            _DOCS,
            ZERNIO,
        ),
    ),
    "media.image.alt_text_max": Sourced(1_000, (_DOCS,)),
    "media.video.per_post": Sourced(20, (_DOCS,)),
    "media.video.bytes_max": Sourced(1_000_000_000, (_DOCS,)),
    "media.video.duration_ms_max": Sourced(
        300_000,
        (
            _DOCS,
            ZERNIO,
        ),
    ),
    "media.video.alt_text_max": Sourced(1_000, (_DOCS,)),
    "media_total": Sourced(
        20,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
}
