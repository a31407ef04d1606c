"""Where the numbers of Bluesky were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production, specification
from signalpost.networks.integrators import AYRSHARE, ORSHOT, TRYPOST, ZERNIO

_LEXICON: Final = specification("https://github.com/bluesky-social/atproto/tree/main/lexicons", "2026-11-21")
_GALLERY: Final = specification("lexicon app.bsky.embed.gallery", "2026-06-03")
_GALLERIES: Final = production("https://github.com/williamsdb/php2Bluesky/issues/40", "2026-09-13")
_PDS: Final = production("@atproto/pds 0.5.35, 83 records of this connector", "2026-11-23")
_RATES: Final = documentation("https://docs.bsky.app/docs/advanced-guides/rate-limits", "2026-11-21")
_APP: Final = production("the official app's constants", "2026-11-21")
_OURS: Final = ours("Bluesky names no limit for a chain of replies", "2026-11-21")
_ALT_TEXTS: Final = production("https://github.com/bluesky-social/atproto/pull/5350", "2026-08-09")
_INSTALLED: Final = production("https://github.com/bluesky-social/pds/issues/217", "2025-03-24")
_CAPTIONS: Final = specification("lexicon app.bsky.embed.video", "2026-08-14")
_LIMITED: Final = production("https://github.com/bluesky-social/atproto/issues/5443", "2026-08-25")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(3_000, (_RATES, _LIMITED)),
    "rate_limit.seconds": Sourced(300, (_RATES, _LIMITED)),
    "text.max_length": Sourced(
        300,
        (
            _LEXICON,
            _PDS,
            ORSHOT,
        ),
    ),
    "text.bytes_max": Sourced(
        3_000,
        (
            _LEXICON,
            _PDS,
        ),
    ),
    "thread_parts_max": Sourced(50, (_OURS,)),
    "media.image.per_post": Sourced(
        10,
        (
            _GALLERY,
            _GALLERIES,
        ),
    ),
    "media.image.bytes_max": Sourced(
        2_000_000,
        (
            _LEXICON,
            _PDS,
            TRYPOST,
        ),
    ),
    "media.image.alt_text_max": Sourced(2_000, (_APP, _ALT_TEXTS)),
    "media.video.per_post": Sourced(
        1,
        (
            _LEXICON,
            ZERNIO,
            AYRSHARE,
        ),
    ),
    "media.video.bytes_max": Sourced(52_428_800, (_PDS, _INSTALLED)),
    "media.video.duration_ms_max": Sourced(
        600_000,
        (
            _APP,
            TRYPOST,
        ),
    ),
    "media.video.alt_text_max": Sourced(2_000, (_APP, _ALT_TEXTS)),
    "options.captions.max_length": Sourced(20, (_CAPTIONS,)),
    "options.captions.each.text.max_length": Sourced(20_000, (_CAPTIONS,)),
}
