"""How posts look at X, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, documentation, production

_CARDS: Final = documentation(
    "https://developer.x.com/en/docs/x-for-websites/cards/overview/summary-card-with-large-image", "2026-11-29"
)
_YOAST: Final = production("https://github.com/Yoast/javascript/issues/50", "2026-11-29")
_REPLYSOCIAL: Final = production(
    "https://replysocial.co/blog/long-form-x-posts-when-to-use-4000-chars-vs-280", "2026-11-29"
)
_ONE_K_REACH: Final = production(
    "https://1kreach.com/blog/x-long-form-posts-2026-25000-character-premium-feature-reshaping-creator-reach",
    "2026-11-29",
)

APPEARANCE: Final = Appearance(
    views=(
        View(kind="poll", option="poll", fold_characters=280),
        View(kind="feed", fold_characters=280),
    ),
    marks=("hashtag", "mention", "link"),
    card="large",
    card_ratio=2.0,
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.card_ratio": Sourced(2.0, (_CARDS, _YOAST)),
    "appearance.poll.fold_characters": Sourced(280, (_REPLYSOCIAL, _ONE_K_REACH)),
    "appearance.feed.fold_characters": Sourced(280, (_REPLYSOCIAL, _ONE_K_REACH)),
}
