"""How posts look at Mastodon, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, specification

_WEB_CLIENT: Final = specification(
    "https://github.com/mastodon/mastodon, status_content of its web client", "2026-11-29"
)

APPEARANCE: Final = Appearance(
    views=(
        View(kind="poll", option="poll", fold_lines=32),
        View(kind="feed", fold_lines=32),
    ),
    marks=("hashtag", "mention", "link"),
    card="large",
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.poll.fold_lines": Sourced(32, (_WEB_CLIENT,)),
    "appearance.feed.fold_lines": Sourced(32, (_WEB_CLIENT,)),
}
