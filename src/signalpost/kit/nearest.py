"""The name that was probably meant by one that does not exist."""

import re
from functools import cache, lru_cache

_CHARACTERS_MAX = 64
_SIMILARITY_MIN = 0.7
_OTHER_NAMES = (
    ("text", "message", "content", "body", "caption", "status", "description"),
    ("media", "mediaUrls", "images", "image", "photos", "photo", "pictures", "picture", "videos", "video", "files",
     "file", "attachments", "mediaIds", "mediaId"),
    ("scheduledAt", "date", "time", "when", "schedule", "scheduledFor", "scheduledTime", "scheduledDate", "publishAt",
     "postAt", "dueAt"),
    ("platforms", "platform", "networks", "network", "providers", "provider", "channels", "channel"),
    ("targets", "accounts", "accountIds", "accountId", "account"),
    ("timezone", "zone", "tz"),
    ("profileId", "profile"),
    ("name", "title", "label"),
    ("mediaUrl", "url", "src", "href", "link", "source"),
    ("url", "endpoint", "callbackUrl", "webhookUrl", "targetUrl", "uri"),
    ("events", "event", "types", "topics"),
    ("email", "mail", "username", "user", "login"),
    ("password", "pass", "passwd", "secret"),
    ("expiresAt", "expires", "expiry", "expiration"),
    ("fields", "credentials"),
    ("cursor", "page", "offset", "after", "nextCursor", "startingAfter"),
    ("limit", "perPage", "pageSize", "size", "count"),
    ("q", "query", "search"),
    ("submit", "schedule", "reschedule", "publish", "send", "enqueue"),
    ("cancel", "unschedule", "abort"),
    ("upload", "uploads", "files"),
    ("me", "whoami", "self", "currentUser"),
)  # fmt: skip
"""Names that other services have for the same thing."""


@lru_cache(maxsize=512)
def nearest(name: str, names: tuple[str, ...]) -> str | None:
    """Return the name that differs in case and dashes only, else one for the same thing, else a similar one."""
    import difflib  # noqa: PLC0415 - only for a mistake

    by_plain = _by_plain(names)
    plain = _plain(name[:_CHARACTERS_MAX])
    if plain in by_plain:
        return by_plain[plain]
    for other in _other_names().get(plain, ()):
        if other in by_plain:
            return by_plain[other]
    similar = difflib.get_close_matches(plain, by_plain, n=1, cutoff=_SIMILARITY_MIN)
    return by_plain[similar[0]] if similar else None


@lru_cache(maxsize=64)
def _by_plain(names: tuple[str, ...]) -> dict[str, str]:
    return {_plain(name): name for name in names}


@cache
def _other_names() -> dict[str, list[str]]:
    others: dict[str, list[str]] = {}
    for group in _OTHER_NAMES:
        for name in group:
            others.setdefault(_plain(name), []).extend(_plain(other) for other in group)
    return others


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower()) or name
