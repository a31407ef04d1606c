"""How posts look at Facebook, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, documentation, production

_LINK_IMAGES: Final = documentation("https://developers.facebook.com/docs/sharing/webmasters/images", "2026-11-29")
_LINK_FAQ: Final = documentation("https://developers.facebook.com/docs/sharing/webmasters/faq", "2026-11-29")
_SOONA: Final = production("https://soona.co/image-resizer/meta-image-size-specs", "2026-11-29")
_REELS: Final = production("https://blog.aitoearn.ai/mastering-reel-aspect-ratio-for-maximum-engagement", "2026-11-29")
_BULKPUBLISH: Final = production("https://bulkpublish.com/blog/instagram-character-limit/", "2026-11-29")
_SOCIALK: Final = production("https://socialk.it/fr/tools/facebook-character-counter", "2026-11-29")
_POSTHELL: Final = production("https://www.posthell.com/tools/facebook-character-counter", "2026-11-29")
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
            text="over",
            ratio_min=0.5625,
            ratio_max=0.5625,
            fold_lines=1,
            covered_top=0.14,
            covered_bottom=0.35,
            covered_sides=0.06,
        ),
        View(kind="feed", fold_characters=477),
    ),
    marks=("hashtag", "link"),
    card="large",
    card_ratio=1.91,
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.card_ratio": Sourced(1.91, (_LINK_IMAGES, _LINK_FAQ)),
    "appearance.story.ratio_min": Sourced(0.5625, (_SOONA,)),
    "appearance.story.ratio_max": Sourced(0.5625, (_SOONA,)),
    "appearance.reel.ratio_min": Sourced(0.5625, (_REELS,)),
    "appearance.reel.ratio_max": Sourced(0.5625, (_REELS,)),
    "appearance.reel.fold_lines": Sourced(1, (_BULKPUBLISH,)),
    "appearance.feed.fold_characters": Sourced(477, (_SOCIALK, _POSTHELL)),
    "appearance.story.covered_top": Sourced(0.14, (_IMAGEFACTORY, _ADSUPLOADER)),
    "appearance.story.covered_bottom": Sourced(0.2, (_IMAGEFACTORY, _ADSUPLOADER)),
    "appearance.reel.covered_top": Sourced(0.14, (_IMAGEFACTORY, _BEHAVIOUR)),
    "appearance.reel.covered_bottom": Sourced(0.35, (_IMAGEFACTORY, _BEHAVIOUR)),
    "appearance.reel.covered_sides": Sourced(0.06, (_IMAGEFACTORY, _BEHAVIOUR)),
}
