"""Where the numbers of DEV were read: in the source of Forem, which runs it."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, ours, specification

_MODEL: Final = specification("https://github.com/forem/forem/blob/main/app/models/article.rb", "2026-11-29")
_CHECKER: Final = specification(
    "https://github.com/forem/forem/blob/main/app/services/rate_limit_checker.rb", "2026-11-29"
)
# People were refused longer titles and more articles too, in forem #19587 and dev-to-git #51: too old for this list.
_TEXT: Final = ours("DEV stores up to 800 kB of text; this is as much as a post here may have", "2026-11-29")
_PAGE: Final = ours("DEV lists up to 1,000 articles at once, each with its whole text", "2026-11-29")

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(9, (_CHECKER,)),
    "rate_limit.seconds": Sourced(30, (_CHECKER,)),
    "metrics_per_call": Sourced(30, (_PAGE,)),
    "text.max_length": Sourced(50_000, (_TEXT,)),
    "title.max_length": Sourced(128, (_MODEL,)),
}
