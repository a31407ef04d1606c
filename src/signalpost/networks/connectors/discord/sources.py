"""Where the numbers of Discord were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production, specification

_SPEC: Final = specification("https://github.com/discord/discord-api-spec/blob/main/specs/openapi.json", "2026-07-18")
_MESSAGE: Final = documentation("https://docs.discord.com/developers/resources/message#create-message", "2026-08-06")
_FILES: Final = documentation("https://docs.discord.com/developers/reference#uploading-files", "2026-08-06")
# People read 2,000 as code points: night of Discord in discord-api-docs #1315, too old for this list.
_LENGTH: Final = production("https://github.com/antoinelrnld/discord-rag/issues/17", "2025-02-23")
_COUNT: Final = production("https://github.com/arespawn/WhatsAppToDiscord/pull/74", "2025-08-13")
# The documentation says 20 MiB since 2026-09-04 (discord-api-docs #8578); bots were still refused more than 10 then.
_SIZE: Final = production("https://github.com/discord/discord-api-docs/issues/8572", "2026-09-01")
_RATE: Final = production("https://github.com/discord/discord-api-docs/issues/6753", "2024-03-25")
_OURS: Final = ours("Discord names no limit for messages one after the other", "2026-11-28")


def _of_files(kind: str) -> Mapping[str, Sourced]:
    return {
        f"media.{kind}.per_post": Sourced(10, (_SPEC, _COUNT)),
        f"media.{kind}.bytes_max": Sourced(10_485_760, (_FILES, _SIZE)),
        f"media.{kind}.alt_text_max": Sourced(1_024, (_SPEC,)),
    }


SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(5, (_RATE,)),
    "rate_limit.seconds": Sourced(2, (_RATE,)),
    "text.max_length": Sourced(2_000, (_MESSAGE, _LENGTH)),
    "thread_parts_max": Sourced(50, (_OURS,)),
    "media_total": Sourced(10, (_SPEC, _COUNT)),
    **_of_files("image"),
    **_of_files("gif"),
    **_of_files("video"),
    **_of_files("document"),
}
