"""Where the numbers of X were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, specification
from signalpost.networks.integrators import BLOTATO, ORSHOT, TRYPOST, ZERNIO

_DOCS: Final = documentation("https://docs.x.com/x-api/media/quickstart/best-practices", "2026-11-22")
_RATES: Final = documentation("https://docs.x.com/x-api/fundamentals/rate-limits", "2026-11-22")
_SPEC: Final = specification("X API v2, OpenAPI 2.167", "2026-08-22")
_COUNTING: Final = specification("twitter-text, configuration v3", "2026-11-22")
_OURS: Final = ours("X names no limit for a chain of replies", "2026-11-22")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(10_000, (_RATES,)),
    "rate_limit.seconds": Sourced(86_400, (_RATES,)),
    "text.max_length": Sourced(
        280,
        (
            _COUNTING,
            ORSHOT,
            BLOTATO,
        ),
    ),
    "text.url_length": Sourced(
        23,
        (
            _COUNTING,
            ORSHOT,
        ),
    ),
    "thread_parts_max": Sourced(50, (_OURS,)),
    "media.image.per_post": Sourced(
        4,
        (
            _DOCS,
            BLOTATO,
        ),
    ),
    "media.image.bytes_max": Sourced(
        5_000_000,
        (
            _DOCS,
            BLOTATO,
        ),
    ),
    "media.image.alt_text_max": Sourced(
        1_000,
        (
            _DOCS,
            ZERNIO,
        ),
    ),
    "media.gif.per_post": Sourced(
        1,
        (
            _DOCS,
            BLOTATO,
        ),
    ),
    "media.gif.bytes_max": Sourced(
        15_000_000,
        (
            _DOCS,
            BLOTATO,
        ),
    ),
    "media.gif.pixels_max": Sourced(
        1_382_400,
        (
            _DOCS,
            BLOTATO,
        ),
    ),
    "media.gif.alt_text_max": Sourced(
        1_000,
        (
            _DOCS,
            ZERNIO,
        ),
    ),
    "media.video.per_post": Sourced(
        1,
        (
            _DOCS,
            BLOTATO,
        ),
    ),
    "media.video.bytes_max": Sourced(512_000_000, (_DOCS, ZERNIO)),
    "media.video.duration_ms_max": Sourced(1_200_000, (TRYPOST,)),
    "media_total": Sourced(
        4,
        (
            _DOCS,
            BLOTATO,
        ),
    ),
    "metrics_per_call": Sourced(100, (_SPEC,)),
}
