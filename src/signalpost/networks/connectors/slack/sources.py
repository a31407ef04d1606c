"""Where the numbers of Slack were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production

_MESSAGE: Final = documentation("https://docs.slack.dev/reference/methods/chat.postMessage", "2026-08-20")
_RATE: Final = documentation("https://docs.slack.dev/apis/web-api/rate-limits", "2026-08-20")
# Documented are 4,000 "for best results" and a cut at 40,000; people were refused more than 4,000, and an engineer of
# Slack says that 40,000 is old.
_REFUSED: Final = production("https://github.com/seratch/ChatGPT-in-Slack/issues/102", "2024-10-01")
_TOO_LONG: Final = production("https://github.com/votingworks/arlo/pull/2070", "2024-11-18")
_SIZE: Final = production("https://github.com/looker-open-source/actions/pull/668", "2025-04-25")
_SIZE_TOO: Final = production("https://github.com/slackapi/bolt-python/issues/1059", "2024-03-15")
_FILES: Final = ours("Slack's own clients take 10 files for a message; its API names no number", "2026-11-28")
_ALT_TEXT: Final = ours("Slack names no limit for descriptions of files", "2026-11-28")
_THREAD: Final = ours("Slack names no limit for messages one after the other", "2026-11-28")


def _of_files(kind: str) -> Mapping[str, Sourced]:
    return {
        f"media.{kind}.per_post": Sourced(10, (_FILES,)),
        f"media.{kind}.bytes_max": Sourced(1_000_000_000, (_SIZE, _SIZE_TOO)),
        f"media.{kind}.alt_text_max": Sourced(1_000, (_ALT_TEXT,)),
    }


SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(1, (_RATE,)),
    "rate_limit.seconds": Sourced(1, (_RATE,)),
    "text.max_length": Sourced(4_000, (_MESSAGE, _REFUSED, _TOO_LONG)),
    "thread_parts_max": Sourced(50, (_THREAD,)),
    "media_total": Sourced(10, (_FILES,)),
    **_of_files("image"),
    **_of_files("gif"),
    **_of_files("video"),
    **_of_files("audio"),
    **_of_files("document"),
}
