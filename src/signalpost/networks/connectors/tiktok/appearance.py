"""How posts look at TikTok, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, production

_SAFE_ZONES: Final = production("https://posttruncate.com/en/ad-previews/tiktok-ads/", "2026-11-29")
_VIDPICKR: Final = production("https://vidpickr.com/glossary/aspect-ratio", "2026-11-29")
_CAPTIONS: Final = production("https://mojicnt.click/en/blog/tiktok-caption-character-limit.html", "2026-11-29")

APPEARANCE: Final = Appearance(
    views=(View(kind="reel", text="over", files="carousel", ratio_min=0.5625, ratio_max=0.5625, fold_lines=2),),
    marks=("hashtag", "mention"),
    card="none",
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.reel.ratio_min": Sourced(0.5625, (_SAFE_ZONES, _VIDPICKR)),
    "appearance.reel.ratio_max": Sourced(0.5625, (_SAFE_ZONES, _VIDPICKR)),
    "appearance.reel.fold_lines": Sourced(2, (_CAPTIONS,)),
}
