"""Where the numbers of Instagram were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, production
from signalpost.networks.integrators import AYRSHARE, AYRSHARE_TEXTS, ORSHOT, TRYPOST, ZERNIO

_DOCS: Final = documentation("https://developers.facebook.com/docs/instagram-platform/content-publishing", "2026-11-22")
_HELP: Final = documentation("https://help.instagram.com/1631821640426723", "2026-05-10")
_POSTYBIRB: Final = production("https://github.com/mvdicarlo/postybirb/pull/762", "2026-05-10")
_POST_FOR_ME: Final = production("https://github.com/DayMoonDevelopment/post-for-me/pull/166", "2026-04-17")
_CHILDREN: Final = production("https://github.com/geoff-maddock/events-tracker/pull/2099", "2026-08-27")
_AUDIO: Final = documentation("https://developers.facebook.com/docs/instagram-platform, Audio API", "2026-06-16")
# Others say 2,200: what is a few characters shorter is taken by all of them.
_UPLOAD_POST: Final = production("https://docs.upload-post.com/resources/character-limits/", "2026-11-30")
_LATE: Final = production("late-sdk 0.0.1012", "2026-11-29")

SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(
        2_200,
        (
            _DOCS,
            ORSHOT,
        ),
    ),
    "reply_text.max_length": Sourced(2_196, (AYRSHARE_TEXTS, _UPLOAD_POST)),
    "media.image.per_post": Sourced(
        10,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
    "media.image.bytes_max": Sourced(
        8_000_000,
        (
            _DOCS,
            AYRSHARE,
            ZERNIO,
        ),
    ),
    "media.image.ratio_min": Sourced(
        0.75,
        (
            _HELP,
            _POSTYBIRB,
            _POST_FOR_ME,
        ),
    ),
    "media.image.ratio_max": Sourced(
        1.91,
        (
            _DOCS,
            _POSTYBIRB,
            AYRSHARE,
            ZERNIO,
        ),
    ),
    "media.image.alt_text_max": Sourced(1_000, (_DOCS, AYRSHARE_TEXTS)),
    "media.video.per_post": Sourced(10, (_DOCS, _CHILDREN)),
    "media.video.bytes_max": Sourced(
        300_000_000,
        (
            _DOCS,
            TRYPOST,
            AYRSHARE,
        ),
    ),
    "media.video.duration_ms_max": Sourced(
        900_000,
        (
            _DOCS,
            TRYPOST,
            AYRSHARE,
        ),
    ),
    "media_total": Sourced(
        10,
        (
            _DOCS,
            AYRSHARE,
        ),
    ),
    "options.musicVolume.le": Sourced(100, (_AUDIO, _LATE)),
    "options.videoVolume.le": Sourced(100, (_AUDIO, _LATE)),
}
