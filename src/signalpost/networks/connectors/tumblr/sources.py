"""Where the numbers of Tumblr were read. It does not say how large files may be: those limits are careful ones."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, ours, production, specification

_API: Final = specification("https://github.com/tumblr/docs/blob/master/api.md#rate-limits", "2024-10-18")
_NPF: Final = specification("https://github.com/tumblr/docs/blob/master/npf-spec.md#post-content-limits", "2024-10-18")
_POSTIZ: Final = production("https://docs.postiz.com/public-api/providers/tumblr", "2026-08-21")
_CALLS: Final = ours(
    "1,000 calls an hour and 5,000 a day are for all accounts of an app; 200 keep to both", "2026-11-29"
)
_TEXT: Final = ours("a post may have 1 MB of text; this is as much as a post here may have", "2026-11-29")
_PICTURE: Final = ours("what Tumblr has long taken; it times out with large files (tumblr/docs #128)", "2026-11-29")
_VIDEO: Final = ours("what Tumblr has long taken; it takes 60 minutes a day of one person", "2026-11-29")
_AUDIO: Final = ours("one file of 10 MB, as Tumblr has long taken", "2026-11-29")
_ONE: Final = ours("the numbers of each post are a call of their own", "2026-11-29")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(200, (_CALLS, _API)),
    "rate_limit.seconds": Sourced(3_600, (_CALLS, _API)),
    "text.max_length": Sourced(50_000, (_TEXT, _NPF)),
    "title.max_length": Sourced(4_096, (_NPF, _POSTIZ)),
    "media.image.per_post": Sourced(30, (_NPF, _POSTIZ)),
    "media.image.bytes_max": Sourced(10_000_000, (_PICTURE,)),
    "media.image.alt_text_max": Sourced(4_096, (_NPF,)),
    "media.gif.per_post": Sourced(30, (_NPF, _POSTIZ)),
    "media.gif.bytes_max": Sourced(10_000_000, (_PICTURE,)),
    "media.gif.alt_text_max": Sourced(4_096, (_NPF,)),
    "media.video.per_post": Sourced(1, (_NPF, _POSTIZ)),
    "media.video.bytes_max": Sourced(100_000_000, (_VIDEO,)),
    "media.video.duration_ms_max": Sourced(600_000, (_VIDEO,)),
    "media.audio.per_post": Sourced(1, (_AUDIO,)),
    "media.audio.bytes_max": Sourced(10_000_000, (_AUDIO,)),
    "media_total": Sourced(30, (_NPF,)),
}
