"""Where the numbers of Facebook were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours
from signalpost.networks.integrators import AYRSHARE, HIGHLEVEL, JETPACK, ORSHOT, POSTPLANIFY, ZERNIO

_DOCS: Final = documentation("https://developers.facebook.com/docs/pages-api/posts", "2026-11-22")
_VIDEO: Final = documentation("https://developers.facebook.com/docs/video-api/guides/publishing", "2026-11-22")
_OURS: Final = ours("Facebook takes 10 GB, this service 5", "2026-11-22")

SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(
        63_206,
        (
            _DOCS,
            ORSHOT,
        ),
    ),
    "reply_text.max_length": Sourced(8_000, (HIGHLEVEL, POSTPLANIFY)),
    "media.image.per_post": Sourced(
        10,
        (
            _DOCS,
            AYRSHARE,
            ZERNIO,
        ),
    ),
    "media.image.bytes_max": Sourced(10_000_000, (_DOCS, JETPACK)),
    "media.image.alt_text_max": Sourced(1_000, (_DOCS,)),
    "media.video.per_post": Sourced(
        1,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
    "media.video.bytes_max": Sourced(5_000_000_000, (_OURS,)),
    "media.video.duration_ms_max": Sourced(14_400_000, (_VIDEO,)),
}
