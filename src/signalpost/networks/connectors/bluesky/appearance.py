"""How posts look at Bluesky, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, specification

_WEB_CLIENT: Final = specification("https://github.com/bluesky-social/social-app, cards of its client", "2026-11-29")

APPEARANCE: Final = Appearance(
    views=(View(kind="feed"),),
    marks=("hashtag", "mention", "link"),
    card="large",
    card_ratio=1.91,
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.card_ratio": Sourced(1.91, (_WEB_CLIENT,)),
}
