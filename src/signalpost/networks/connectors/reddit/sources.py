"""Where the numbers of Reddit were read. PRAW keeps answers of Reddit as they came, each with its day."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production, specification

_LIMIT: Final = documentation("https://www.reddit.com/r/redditdev/comments/13wsiks/", "2026-11-28")
_LIMITED: Final = production("answers of Reddit in tests/integration/cassettes of PRAW 8.0.3", "2025-05-07")
_CALLS: Final = ours(
    "100 calls a minute are for all accounts of an app; a post with a file needs about five", "2026-11-28"
)
_CODE: Final = specification("r2/models/link.py and r2/lib/validator of github.com/reddit-archive/reddit", "2026-11-28")
_POSTLY: Final = production("https://postly.ai/reddit/guides/1", "2026-11-28")
_GALLERY: Final = documentation("https://www.reddit.com/r/modnews/comments/hisodw/", "2026-11-28")
_PICOVERT: Final = production("https://www.picovert.com/en/blog/image-size-for-reddit", "2026-11-28")
_LATE: Final = production("https://docs.getlate.dev/resources/media-guidelines/reddit", "2026-11-28")
_VIDEO: Final = production("https://www.stackmatix.com/blog/reddit-ad-specs", "2026-11-28")
_VIDEO_TOO: Final = production(
    "https://ibtimes.com/reddit-rolls-out-native-video-support-desktop-mobile-apps-2580038", "2026-11-28"
)
_LISTED: Final = production("praw 8.0.3, Reddit.info: it asks for a hundred at once", "2026-08-17")
_LISTINGS: Final = documentation("https://www.reddit.com/dev/api#listings", "2026-11-28")
_ONE: Final = ours("a post of this kind names one file", "2026-11-28")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(20, (_CALLS, _LIMIT, _LIMITED)),
    "rate_limit.seconds": Sourced(60, (_CALLS, _LIMIT, _LIMITED)),
    "text.max_length": Sourced(40_000, (_CODE, _POSTLY)),
    "title.max_length": Sourced(300, (_CODE, _POSTLY)),
    "media.image.per_post": Sourced(20, (_GALLERY, _PICOVERT)),
    "media.image.bytes_max": Sourced(20_000_000, (_LATE, _PICOVERT)),
    "media.gif.per_post": Sourced(1, (_ONE,)),
    "media.gif.bytes_max": Sourced(20_000_000, (_LATE, _PICOVERT)),
    "media.video.per_post": Sourced(1, (_ONE,)),
    "media.video.bytes_max": Sourced(1_000_000_000, (_VIDEO,)),
    "media.video.duration_ms_max": Sourced(900_000, (_VIDEO, _VIDEO_TOO)),
    "thumbnail.per_post": Sourced(1, (_ONE,)),
    "thumbnail.bytes_max": Sourced(20_000_000, (_LATE, _PICOVERT)),
    "metrics_per_call": Sourced(100, (_LISTINGS, _LISTED)),
}
