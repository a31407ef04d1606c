"""How posts look at Threads, and where that was read."""

from signalpost.networks.contract import Appearance, View

APPEARANCE = Appearance(
    views=(
        View(kind="poll", option="poll", files="carousel"),
        View(kind="feed", files="carousel"),
    ),
    marks=("hashtag", "mention", "link"),
    card="large",
)
