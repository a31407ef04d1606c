"""How posts look at Pinterest, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, documentation, production

_HELP: Final = documentation("https://help.pinterest.com/en/business/article/pinterest-product-specs", "2026-11-29")
_BUSINESS: Final = documentation("https://business.pinterest.com/en/Pinterest-product-specs", "2026-11-29")
_ODYSSEY: Final = production("https://odysseymediagroup.co.uk/client-resources/pinterest-feed", "2026-11-29")

APPEARANCE: Final = Appearance(
    views=(View(kind="pin", text="below", files="carousel", ratio_min=0.6667, title_characters=40),),
    marks=("hashtag", "mention"),
    card="none",
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.pin.ratio_min": Sourced(0.6667, (_HELP, _BUSINESS)),
    "appearance.pin.title_characters": Sourced(40, (_HELP, _ODYSSEY)),
}
