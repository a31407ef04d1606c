"""Where the numbers of LinkedIn were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production
from signalpost.networks.integrators import AYRSHARE, JETPACK, ORSHOT, ZERNIO

_POSTS: Final = documentation(
    "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api", "2026-11-21"
)
_IMAGES: Final = documentation(
    "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api", "2026-11-21"
)
_VIDEOS: Final = documentation(
    "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api", "2026-11-21"
)
_FILES: Final = documentation(
    "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/documents-api", "2026-11-21"
)
_PIXELS: Final = production("https://github.com/gitroomhq/postiz-app/pull/1653", "2026-06-30")
_POLL: Final = documentation(
    "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/poll-post-api", "2026-11-21"
)
_PUBLER: Final = production("https://publer.com/docs, polls", "2026-11-29")
_POSTIZ_POLLS: Final = production("https://github.com/gitroomhq/postiz-app/issues/1909", "2026-08-17")
_SIZES: Final = (
    production("https://docs.rs/crate/late/0.0.1055/source/docs/LinkedInPlatformDataAudience.md", "2026-11-29"),
    production(
        "https://glama.ai/mcp/connectors/io.github.opusgrowth/ads-mcp/tools/linkedin_targeting_search", "2026-11-29"
    ),
)
_VALUES: Final = ours("LinkedIn documents no limit for the values of a facet", "2026-11-29")
_FACETS: Final = (
    "geoLocations", "industries", "jobFunctions", "seniorities", "interfaceLocales", "degrees", "fieldsOfStudy",
    "organizations",
)  # fmt: skip

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(100_000, (_POSTS,)),
    "rate_limit.seconds": Sourced(86_400, (_POSTS,)),
    "text.max_length": Sourced(
        3_000,
        (
            _POSTS,
            ORSHOT,
        ),
    ),
    "media.image.per_post": Sourced(
        20,
        (
            _POSTS,
            ZERNIO,
        ),
    ),
    "media.image.bytes_max": Sourced(8_000_000, (_IMAGES,)),
    "media.image.pixels_max": Sourced(36_152_319, (_IMAGES, _PIXELS, AYRSHARE)),
    "media.image.alt_text_max": Sourced(4_086, (_POSTS,)),
    "media.gif.per_post": Sourced(
        20,
        (
            _POSTS,
            ZERNIO,
        ),
    ),
    "media.gif.bytes_max": Sourced(8_000_000, (_IMAGES,)),
    "media.gif.pixels_max": Sourced(36_152_319, (_IMAGES, _PIXELS, AYRSHARE)),
    "media.gif.alt_text_max": Sourced(4_086, (_POSTS,)),
    "media.video.per_post": Sourced(
        1,
        (
            _POSTS,
            AYRSHARE,
            ZERNIO,
        ),
    ),
    "media.video.bytes_max": Sourced(5_000_000_000, (_VIDEOS,)),
    "media.video.duration_ms_max": Sourced(1_800_000, (_VIDEOS, JETPACK, AYRSHARE)),
    "media.video.alt_text_max": Sourced(4_086, (_POSTS,)),
    "media.document.per_post": Sourced(
        1,
        (
            _FILES,
            ZERNIO,
        ),
    ),
    "media.document.bytes_max": Sourced(
        100_000_000,
        (
            _FILES,
            ZERNIO,
        ),
    ),
    "media_total": Sourced(
        20,
        (
            _POSTS,
            ZERNIO,
        ),
    ),
    "metrics_per_call": Sourced(20, (_POSTS,)),
    "options.poll.question.max_length": Sourced(140, (_POLL, ZERNIO)),
    "options.poll.options.min_length": Sourced(2, (_POLL, ZERNIO, _PUBLER)),
    "options.poll.options.max_length": Sourced(4, (_POLL, ZERNIO, _PUBLER)),
    "options.poll.options.each.max_length": Sourced(30, (_POLL, ZERNIO, _PUBLER)),
    "options.poll.duration.choices": Sourced(4, (_POLL, _POSTIZ_POLLS)),
    **{f"options.audience.{facet}.max_length": Sourced(50, (_VALUES,)) for facet in _FACETS},
    "options.audience.staffCountRanges.max_length": Sourced(9, _SIZES),
    "options.audience.staffCountRanges.each.choices": Sourced(9, _SIZES),
}
