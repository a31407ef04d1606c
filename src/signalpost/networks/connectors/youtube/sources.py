"""Where the numbers of YouTube were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production, specification
from signalpost.networks.integrators import AYRSHARE, HIGHLEVEL, ORSHOT, ZERNIO

_INSERT: Final = documentation("https://developers.google.com/youtube/v3/docs/videos", "2026-11-21")
_QUOTA: Final = documentation("https://developers.google.com/youtube/v3/determine_quota_cost", "2026-06-01")
_HELP: Final = documentation("https://support.google.com/youtube/answer/71673", "2026-11-21")
_THUMBNAILS: Final = documentation("https://developers.google.com/youtube/v3/docs/thumbnails/set", "2026-11-21")
_DISCOVERY: Final = specification("YouTube Data API v3, discovery document 20261104", "2026-11-04")
_OURS: Final = ours("more than any screen shows of a thumbnail", "2026-11-21")
_ONE: Final = ours("a post is one video with one picture", "2026-11-21")
_TYPECOUNT: Final = production("https://typecount.com/blog/social-media-character-limits", "2026-11-30")
_POSTONCE: Final = production("https://postonce.to/blog/size-limit-for-youtube-videos", "2026-11-29")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(100, (_QUOTA,)),
    "rate_limit.seconds": Sourced(86_400, (_QUOTA,)),
    "text.max_length": Sourced(
        5_000,
        (
            _INSERT,
            ZERNIO,
            ORSHOT,
        ),
    ),
    "text.bytes_max": Sourced(5_000, (_INSERT,)),
    "title.max_length": Sourced(
        100,
        (
            _INSERT,
            ZERNIO,
            ORSHOT,
        ),
    ),
    "reply_text.max_length": Sourced(10_000, (HIGHLEVEL, _TYPECOUNT)),
    "media.video.per_post": Sourced(1, (_ONE,)),
    "media.video.bytes_max": Sourced(
        256_000_000_000,
        (
            _HELP,
            _DISCOVERY,
        ),
    ),
    "media.video.duration_ms_max": Sourced(43_200_000, (_HELP, _POSTONCE)),
    "thumbnail.per_post": Sourced(1, (_ONE,)),
    "thumbnail.bytes_max": Sourced(2_097_152, (_THUMBNAILS, AYRSHARE)),
    "thumbnail.pixels_max": Sourced(8_294_400, (_OURS,)),
    "media_total": Sourced(1, (_ONE,)),
    "metrics_per_call": Sourced(50, (_INSERT,)),
}
