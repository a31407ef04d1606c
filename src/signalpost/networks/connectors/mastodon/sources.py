"""Where the numbers of Mastodon were read. Each server says its own; these are those of an unchanged one."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production
from signalpost.networks.integrators import JETPACK

_DOCS: Final = documentation("https://docs.joinmastodon.org/user/posting/", "2026-07-02")
_INSTANCE: Final = documentation("https://docs.joinmastodon.org/entities/Instance/", "2026-07-02")
_API: Final = documentation("https://docs.joinmastodon.org/methods/statuses/", "2026-07-02")
_RATES: Final = documentation("https://docs.joinmastodon.org/api/rate-limits/", "2026-07-02")
_OURS: Final = ours("Mastodon names no limit for a chain of replies", "2026-11-21")
_CLIENT: Final = production("Mastodon.py 2.3.3, which counts by it until a server says another number", "2026-11-29")
_ALT_TEXT: Final = production(
    "https://hub.netzgemeinde.eu/wiki/jupiter_rowland, on descriptions of images", "2026-11-29"
)
_FOUR: Final = production("https://github.com/TheEssem/mastodon/issues/13", "2024-03-09")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(300, (_RATES, _CLIENT)),
    "rate_limit.seconds": Sourced(300, (_RATES,)),
    "text.max_length": Sourced(
        500,
        (
            _DOCS,
            _INSTANCE,
        ),
    ),
    "text.url_length": Sourced(
        23,
        (
            _DOCS,
            _INSTANCE,
        ),
    ),
    "thread_parts_max": Sourced(50, (_OURS,)),
    "media.image.per_post": Sourced(4, (_DOCS, _FOUR)),
    "media.image.bytes_max": Sourced(16_777_216, (_INSTANCE, JETPACK)),
    "media.image.pixels_max": Sourced(33_177_600, (_INSTANCE,)),
    "media.image.alt_text_max": Sourced(1_500, (_DOCS, _ALT_TEXT)),
    "media.gif.per_post": Sourced(4, (_DOCS,)),
    "media.gif.bytes_max": Sourced(16_777_216, (_INSTANCE, JETPACK)),
    "media.gif.pixels_max": Sourced(33_177_600, (_INSTANCE,)),
    "media.gif.alt_text_max": Sourced(1_500, (_DOCS, _ALT_TEXT)),
    "media.video.per_post": Sourced(1, (_DOCS,)),
    "media.video.bytes_max": Sourced(103_809_024, (_INSTANCE, JETPACK)),
    "media.video.pixels_max": Sourced(8_294_400, (_INSTANCE,)),
    "media.video.alt_text_max": Sourced(1_500, (_DOCS,)),
    "media.audio.per_post": Sourced(1, (_DOCS,)),
    "media.audio.bytes_max": Sourced(103_809_024, (_INSTANCE,)),
    "media.audio.alt_text_max": Sourced(1_500, (_DOCS,)),
    "media_total": Sourced(
        4,
        (
            _DOCS,
            _INSTANCE,
        ),
    ),
    "dedupes_for_seconds": Sourced(3_600, (_API,)),
}
