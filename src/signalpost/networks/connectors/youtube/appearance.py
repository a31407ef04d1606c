"""How posts look at YouTube, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, production

_SHORTS: Final = production("https://shortsninja.com/de/blog/best-aspect-ratio-for-youtube/", "2026-11-29")
_VIDPICKR: Final = production("https://vidpickr.com/glossary/aspect-ratio", "2026-11-29")
_SHORTS_LIMITS: Final = production("https://lettercounter.org/blog/youtube-shorts-description", "2026-11-29")
_LIMITS: Final = production("https://lettercounter.org/blog/youtube-character-limit-guide", "2026-11-29")
_TITLES: Final = production("https://titles.video/youtube-title-length", "2026-11-29")

APPEARANCE: Final = Appearance(
    views=(
        View(kind="reel", types=("short",), text="none", ratio_min=0.5625, ratio_max=0.5625, title_characters=40),
        View(kind="video", text="below", ratio_min=1.7778, ratio_max=1.7778, title_characters=70, fold_characters=125),
    ),
    marks=("hashtag", "link"),
    card="none",
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.reel.ratio_min": Sourced(0.5625, (_SHORTS, _VIDPICKR)),
    "appearance.reel.ratio_max": Sourced(0.5625, (_SHORTS, _VIDPICKR)),
    "appearance.reel.title_characters": Sourced(40, (_SHORTS_LIMITS,)),
    "appearance.video.ratio_min": Sourced(1.7778, (_SHORTS, _VIDPICKR)),
    "appearance.video.ratio_max": Sourced(1.7778, (_SHORTS, _VIDPICKR)),
    "appearance.video.title_characters": Sourced(70, (_LIMITS, _TITLES)),
    "appearance.video.fold_characters": Sourced(125, (_LIMITS,)),
}
