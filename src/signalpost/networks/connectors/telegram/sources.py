"""Where the numbers of Telegram were read."""

from collections.abc import Mapping
from typing import Final

from signalpost.networks.contract.sources import Sourced, documentation, ours, production

_API: Final = documentation("https://core.telegram.org/bots/api", "2026-06-11")
_FAQ: Final = documentation("https://core.telegram.org/bots/faq", "2026-06-11")
_LIBRARY: Final = production("python-telegram-bot 22.8", "2026-11-28")
_AYRSHARE: Final = production("https://www.ayrshare.com/docs/media-guidelines/telegram", "2026-11-28")
_CAPTIONS: Final = production("https://github.com/gitroomhq/postiz-app/issues/1171", "2026-01-16")
_UTF16: Final = production("https://github.com/yincongcyincong/MuseBot/pull/7", "2025-03-08")
_PHOTOS: Final = production("https://github.com/theexperiencecompany/gaia/pull/734", "2026-06-01")
_FLOODS: Final = production("https://telegra.ph/Hitting-limits-bot-FAQ", "2026-11-28")
_ONE: Final = production("https://hex.pm/packages/telega/1.0.0", "2026-11-28")
_SIDES: Final = ours("Telegram takes 10,000 for both sides together, and shows at most 2,560 of each", "2026-11-28")
_THREADS: Final = ours("more would meet the limit of a minute", "2026-11-28")

_FILE: Final = Sourced(50_000_000, (_API, _LIBRARY))
_ALBUM: Final = Sourced(10, (_API, _LIBRARY, _ONE))
_CAPTION: Final = Sourced(1_024, (_API, _CAPTIONS, _AYRSHARE))

SOURCES: Final[Mapping[str, Sourced]] = {
    "rate_limit.count": Sourced(20, (_FAQ, _FLOODS, _LIBRARY)),
    "rate_limit.seconds": Sourced(60, (_FAQ, _FLOODS, _LIBRARY)),
    "text.max_length": Sourced(4_096, (_API, _UTF16, _CAPTIONS)),
    "thread_parts_max": Sourced(20, (_THREADS,)),
    "media.image.per_post": _ALBUM,
    "media.image.bytes_max": Sourced(10_000_000, (_API, _PHOTOS, _LIBRARY)),
    "media.image.side_long_max": Sourced(5_000, (_SIDES,)),
    "media.image.text_max_length": _CAPTION,
    "media.video.per_post": _ALBUM,
    "media.video.bytes_max": _FILE,
    "media.video.text_max_length": _CAPTION,
    "media.gif.per_post": Sourced(1, (_API, _LIBRARY)),
    "media.gif.bytes_max": _FILE,
    "media.gif.text_max_length": _CAPTION,
    "media.document.per_post": _ALBUM,
    "media.document.bytes_max": _FILE,
    "media.document.text_max_length": _CAPTION,
    "media.audio.per_post": _ALBUM,
    "media.audio.bytes_max": _FILE,
    "media.audio.text_max_length": _CAPTION,
    "media_total": _ALBUM,
}
