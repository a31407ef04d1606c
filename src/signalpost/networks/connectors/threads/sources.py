"""Where the numbers of Threads were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production
from signalpost.networks.integrators import AYRSHARE, ORSHOT, ZERNIO

_DOCS: Final = documentation("https://developers.facebook.com/docs/threads/posts", "2026-11-22")
_OURS: Final = ours("Threads names no limit for a chain of replies", "2026-11-22")
_SPOILERS: Final = documentation(
    "https://developers.facebook.com/documentation/threads/create-posts/spoilers", "2026-07-02"
)
_UPLOAD_POST: Final = production("https://docs.upload-post.com/api/threads-gifs-spoilers-ghost-posts", "2026-11-29")
_POSTIZ: Final = production("https://github.com/gitroomhq/postiz-app/issues/1634", "2026-06-24")

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
    "media.video.bytes_max": Sourced(1_000_000_000, (_DOCS, AYRSHARE)),
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
    "options.spoilerTexts.max_length": Sourced(10, (_SPOILERS, _UPLOAD_POST, _POSTIZ)),
    "options.spoilerTexts.each.max_length": Sourced(500, (_DOCS, ORSHOT, ZERNIO)),  # that of the text
}
