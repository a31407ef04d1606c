"""What a server says about itself: its version and its limits."""

import re
from collections.abc import Mapping
from typing import Any

from signalpost.kit.http import HttpFailure
from signalpost.networks.connectors.mastodon.facts import FACTS
from signalpost.networks.contract import ApiError, Server
from signalpost.networks.responses import members, string

CONNECT_SECONDS = 10.0
# Mastodon itself, and forks that follow it. Others call themselves "2.7.2 (compatible; Pleroma 2.5.0)" or "0.17.3".
_PROPER_VERSION = re.compile(r"[3-9]\.\d{1,3}\.\d{1,3}(?!.*compatible)")
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_NUMBER_MAX = 1 << 40
_QUOTING_API_VERSION = 7  # of Mastodon 4.5


async def read_instance(server: Server, headers: Mapping[str, str]) -> tuple[dict[str, Any], str | None]:
    """Return the facts of a server and its domain; a server that publishes none has the usual limits."""
    for version in ("v2", "v1"):
        path = f"/api/{version}/instance"
        try:
            response = await server.call("GET", path, headers=headers, timeout_seconds=CONNECT_SECONDS)
        except (ApiError, HttpFailure):
            continue
        instance = members(response)
        if "version" in instance:
            domain = instance.get("domain")
            valid = isinstance(domain, str) and len(domain) <= 253 and _HOST.fullmatch(domain)
            return facts_of(instance), domain if valid else None
    return {"dedupes": False}, None


def facts_of(instance: Mapping[str, Any]) -> dict[str, Any]:
    """Return account facts from an instance document of either version, without values that cannot be right."""
    configuration = _object(instance.get("configuration"))
    statuses, media, polls = (_object(configuration.get(name)) for name in ("statuses", "media_attachments", "polls"))
    # Versions before 3.4 and some compatible servers publish the length outside the configuration.
    text = _numbers(
        max_length=statuses.get("max_characters") or instance.get("max_toot_chars"),
        url_length=statuses.get("characters_reserved_per_url"),
    )
    total = _numbers(media_total=statuses.get("max_media_attachments"))
    supported = media.get("supported_mime_types")
    supported = supported[:200] if isinstance(supported, list) else []
    mime_types = [mime_type[:100] for value in supported if (mime_type := string(value)) is not None]
    files: dict[str, Any] = {}
    for kind in FACTS.media:
        family, size = ("image", "image") if kind in {"image", "gif"} else (kind, "video")
        accepted = [
            mime_type
            for mime_type in mime_types
            if mime_type.startswith(f"{family}/") and (mime_type == "image/gif") == (kind == "gif")
        ]
        files[kind] = {
            **_numbers(
                per_post=total.get("media_total") if family == "image" else None,
                bytes_max=media.get(f"{size}_size_limit"),
                pixels_max=media.get(f"{size}_matrix_limit") if kind != "audio" else None,
                alt_text_max=media.get("description_limit"),
            ),
            **({"mime_types": accepted} if accepted else {}),
        }
    versions = _numbers(mastodon=_object(instance.get("api_versions")).get("mastodon"))
    version = (string(instance.get("version")) or "")[:100]
    return {
        "version": version,
        "quotes": versions.get("mastodon", 0) >= _QUOTING_API_VERSION,
        "dedupes": _PROPER_VERSION.match(version) is not None,
        "limits": {"text": text, "media": files, **total},
        "polls": _numbers(
            options_max=polls.get("max_options"), option_length_max=polls.get("max_characters_per_option")
        ),
    }


def _numbers(**values: Any) -> dict[str, int]:
    return {name: value for name, value in values.items() if type(value) is int and 0 < value < _NUMBER_MAX}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
