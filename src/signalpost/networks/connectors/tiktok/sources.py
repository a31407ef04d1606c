"""Where the numbers of TikTok were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, production
from signalpost.networks.integrators import AYRSHARE, ORSHOT, TRYPOST, ZERNIO

_DOCS: Final = documentation("https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide", "2026-11-21")
_QUERY: Final = documentation("https://developers.tiktok.com/doc/tiktok-api-v2-video-query", "2026-11-21")
_POSTIZ: Final = production("https://github.com/gitroomhq/postiz-app/pull/1875", "2026-08-11")
_TRYPOST_120: Final = production("https://github.com/trypostit/trypost/pull/120", "2026-06-26")
_RATE: Final = production(
    "https://developers.tokportal.com/blog/unified-social-apis-25-posts-a-day-wall/", "2026-08-18"
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(6, (_DOCS, _RATE)),
    "rate_limit.seconds": Sourced(60, (_DOCS, _RATE)),
    "text.max_length": Sourced(
        2_200,
        (
            _DOCS,
            ZERNIO,
            ORSHOT,
        ),
    ),
    "media.video.per_post": Sourced(
        1,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
    "media.video.bytes_max": Sourced(
        4_000_000_000,
        (
            _DOCS,
            TRYPOST,
        ),
    ),
    "media.video.duration_ms_max": Sourced(
        600_000,
        (
            _DOCS,
            AYRSHARE,
            TRYPOST,
        ),
    ),
    "media.image.per_post": Sourced(
        35,
        (
            _DOCS,
            AYRSHARE,
            ZERNIO,
        ),
    ),
    "media.image.bytes_max": Sourced(
        20_000_000,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
    "media.image.side_short_max": Sourced(
        1_080,
        (
            _POSTIZ,
            _TRYPOST_120,
        ),
    ),
    "media.image.side_long_max": Sourced(
        1_920,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
    "media.image.text_max_length": Sourced(
        4_000,
        (
            _DOCS,
            ORSHOT,
        ),
    ),
    "media_total": Sourced(
        35,
        (
            _DOCS,
            ZERNIO,
        ),
    ),
    "metrics_per_call": Sourced(20, (_QUERY,)),
}
