"""How posts look at Instagram, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.connectors.instagram.sources import SOURCES as LIMITS
from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, documentation, production

_MOVAVI: Final = production("https://movavi.com/support/how-to/focus-on-aspect-ratio.html", "2026-11-29")
_VERTICAL: Final = production("https://blog.aitoearn.ai/mastering-instagram-9-16-ratio", "2026-11-29")
_BULKPUBLISH: Final = production("https://bulkpublish.com/blog/instagram-character-limit/", "2026-11-29")
_HELP: Final = documentation("https://help.instagram.com/1643471055915254", "2026-11-29")
_BUNDLE: Final = production("https://info.bundle.social/blog/instagram-character-limits-guide", "2026-11-29")
_IMAGEFACTORY: Final = production(
    "https://www.imagefactory.co.kr/en/guides/instagram-story-ad-text-safe-zone", "2026-06-12"
)
_ADSUPLOADER: Final = production("https://adsuploader.com/blog/meta-ads-safe-zones", "2026-11-30")
_BEHAVIOUR: Final = production(
    "https://behaviour.digital/post/meta-reels-safe-zone-14-top-35-bottom-6-sides-the-2026-official-guide", "2026-11-30"
)

APPEARANCE: Final = Appearance(
    views=(
        View(
            kind="story",
            types=("story",),
            text="none",
            ratio_min=0.5625,
            ratio_max=0.5625,
            covered_top=0.14,
            covered_bottom=0.2,
        ),
        View(
            kind="reel",
            types=("reel",),
            media="video",
            text="over",
            ratio_min=0.5625,
            ratio_max=0.5625,
            fold_lines=1,
            covered_top=0.14,
            covered_bottom=0.35,
            covered_sides=0.06,
        ),
        View(
            kind="feed",
            text="below",
            files="carousel",
            ratio_min=0.75,
            ratio_max=1.91,
            fold_characters=125,
            fold_lines=3,
        ),
    ),
    marks=("hashtag", "mention"),
    card="none",
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.feed.ratio_min": LIMITS["media.image.ratio_min"],
    "appearance.feed.ratio_max": LIMITS["media.image.ratio_max"],
    "appearance.story.ratio_min": Sourced(0.5625, (_MOVAVI, _VERTICAL)),
    "appearance.story.ratio_max": Sourced(0.5625, (_MOVAVI, _VERTICAL)),
    "appearance.reel.ratio_min": Sourced(0.5625, (_MOVAVI, _VERTICAL)),
    "appearance.reel.ratio_max": Sourced(0.5625, (_MOVAVI, _VERTICAL)),
    "appearance.reel.fold_lines": Sourced(1, (_BULKPUBLISH,)),
    "appearance.feed.fold_characters": Sourced(125, (_HELP, _BUNDLE)),
    "appearance.feed.fold_lines": Sourced(3, (_HELP,)),
    "appearance.story.covered_top": Sourced(0.14, (_IMAGEFACTORY, _ADSUPLOADER)),
    "appearance.story.covered_bottom": Sourced(0.2, (_IMAGEFACTORY, _ADSUPLOADER)),
    "appearance.reel.covered_top": Sourced(0.14, (_IMAGEFACTORY, _BEHAVIOUR)),
    "appearance.reel.covered_bottom": Sourced(0.35, (_IMAGEFACTORY, _BEHAVIOUR)),
    "appearance.reel.covered_sides": Sourced(0.06, (_IMAGEFACTORY, _BEHAVIOUR)),
}
