"""How posts look at LinkedIn, and where that was read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract import Appearance, View
from signalpost.networks.contract.sources import Sourced, production

_PEEK: Final = production("https://peek.dt.tools/linkedin-preview", "2026-11-29")
_OGPREVIEW: Final = production("https://ogpreview.app/open-graph/linkedin", "2026-11-29")
_BOLTPOST: Final = production("https://boltpost.app/linkedin-see-more-preview.html", "2026-11-29")
_CHARACTERS: Final = production("https://web-3-apps.com/char-counter/articles/linkedin-post-length/", "2026-11-29")
_POSTKIO: Final = production("https://postkio.com/blog/linkedin-see-more-problem", "2026-11-29")

APPEARANCE: Final = Appearance(
    views=(
        View(kind="poll", option="poll", fold_characters=210, fold_lines=3),
        View(kind="document", media="document", files="carousel", fold_characters=210, fold_lines=3),
        View(kind="feed", fold_characters=210, fold_lines=3),
    ),
    marks=("hashtag", "mention", "link"),
    card="large",
    card_ratio=1.91,
)

SOURCES: Final[Mapping[str, Sourced]] = {
    "appearance.card_ratio": Sourced(1.91, (_PEEK, _OGPREVIEW)),
    "appearance.poll.fold_characters": Sourced(210, (_BOLTPOST, _CHARACTERS)),
    "appearance.poll.fold_lines": Sourced(3, (_BOLTPOST, _POSTKIO)),
    "appearance.document.fold_characters": Sourced(210, (_BOLTPOST, _CHARACTERS)),
    "appearance.document.fold_lines": Sourced(3, (_BOLTPOST, _POSTKIO)),
    "appearance.feed.fold_characters": Sourced(210, (_BOLTPOST, _CHARACTERS)),
    "appearance.feed.fold_lines": Sourced(3, (_BOLTPOST, _POSTKIO)),
}
