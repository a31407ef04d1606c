"""Where the numbers of Pinterest were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production, specification
from signalpost.networks.integrators import AYRSHARE, ORSHOT, ZERNIO

_SPEC: Final = specification("Pinterest API v5, OpenAPI 5.28.0 (pinterestsdk 2.1.0)", "2026-11-29")
_DOCS: Final = documentation(
    "https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/", "2026-11-22"
)
_OURS: Final = ours("Pinterest takes 20 MB; all images of a pin stand in one request", "2026-11-22")
_LABELS: Final = production("https://github.com/SysAdminDoc/HushPinterest", "2026-11-29")

SOURCES: Final[Mapping[str, Sourced]] = {
    "text.max_length": Sourced(800, (_SPEC,)),
    "title.max_length": Sourced(
        100,
        (
            _SPEC,
            ZERNIO,
            ORSHOT,
        ),
    ),
    "media.image.per_post": Sourced(5, (_SPEC, AYRSHARE)),
    "media.image.bytes_max": Sourced(10_000_000, (_OURS,)),
    "media.image.alt_text_max": Sourced(
        500,
        (
            _SPEC,
            ZERNIO,
        ),
    ),
    "media.video.per_post": Sourced(
        1,
        (
            _SPEC,
            AYRSHARE,
        ),
    ),
    "media.video.bytes_max": Sourced(2_000_000_000, (_DOCS,)),
    "media.video.duration_ms_max": Sourced(900_000, (_DOCS, AYRSHARE)),
    "media.video.alt_text_max": Sourced(
        500,
        (
            _SPEC,
            ZERNIO,
        ),
    ),
    "options.aiDisclosures.max_length": Sourced(2, (_SPEC, _LABELS)),
    "options.aiDisclosures.each.choices": Sourced(2, (_SPEC, _LABELS)),
}
