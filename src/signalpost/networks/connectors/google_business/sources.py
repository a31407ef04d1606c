"""Where the numbers of Google Business Profile were read. Google's reference of the API names none of a post."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production
from signalpost.networks.integrators import ZERNIO

_QUOTA: Final = documentation("https://developers.google.com/my-business/content/limits", "2026-11-29")
_CALLS: Final = ours("300 calls a minute are for all locations of a project; a post takes up to five", "2026-11-29")
_POSTPROXY: Final = production("https://postproxy.dev/reference/platforms/google-business/", "2026-11-29")
_AYRSHARE: Final = production("https://www.ayrshare.com/docs/media-guidelines/google-business-profile", "2026-11-29")
_LATE: Final = production("https://docs.getlate.dev/resources/media-guidelines/google-business", "2026-11-29")
_POSTSYNCER: Final = production("https://docs.postsyncer.com/platforms/google-business-profile", "2026-11-29")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(60, (_CALLS, _QUOTA)),
    "rate_limit.seconds": Sourced(60, (_CALLS, _QUOTA)),
    "text.max_length": Sourced(1_500, (_POSTPROXY, ZERNIO)),
    "media.image.per_post": Sourced(1, (_LATE, _POSTSYNCER)),
    "media.image.bytes_max": Sourced(5_000_000, (_AYRSHARE, _LATE)),
}
