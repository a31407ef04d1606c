"""Files at a Blossom server: uploaded with a signed permission, and named by what they contain."""

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.nostr.events import UPLOAD, signed
from signalpost.networks.contract import NetworkSession, OutgoingMedia
from signalpost.networks.responses import members, string
from signalpost.networks.threads import ThreadPart

UPLOAD_SECONDS: Final = 200.0
VALID_SECONDS: Final = 900
SKEW_SECONDS: Final = 60  # a permission of the future is refused, and clocks differ


async def file_url(part: ThreadPart, number: int, media: OutgoingMedia) -> str:
    """Return the address of a file of a part, uploading it if no earlier attempt has."""
    step = f"file:{part.index}:{number}"
    earlier = part.journal.steps.get(step)
    if earlier is not None:
        return str(earlier["url"])
    url = await _uploaded(part.session, media)
    await part.journal.record(step, {"url": url, "at": clock.wire(part.session.now())})
    return url


async def _uploaded(session: NetworkSession, media: OutgoingMedia) -> str:
    server, sha256 = str(session.facts.get("mediaServer")), media.sha256.hex()
    response = await session.server.call(
        "PUT", f"{server}/upload",
        headers={
            "Authorization": authorization(session.secrets["privateKey"], sha256, server, session.now()),
            "Content-Type": media.mime_type, "Content-Length": str(media.size_bytes), "X-SHA-256": sha256,
        },
        data=media.read(), timeout_seconds=UPLOAD_SECONDS, expect=(200, 201),
    )  # fmt: skip
    descriptor = members(response)
    url = string(descriptor.get("url"))
    if url is None or not _is_address(session, url) or descriptor.get("sha256") != sha256:
        raise BadResponse("the media server has another file, or no address for it", status=response.status)
    return url


def _is_address(session: NetworkSession, url: str) -> bool:
    is_https = url.startswith("https://") or (session.server.trusted and session.server.has(url))
    return is_https and len(url) <= 2_048 and url.isprintable() and " " not in url


def authorization(private_key: str, sha256: str, server: str, now: datetime) -> str:
    """Return the header that permits to upload one file to one server, for a quarter of an hour (BUD-11).

    Older servers read base64 with padding, newer ones base64url without. Filled up to three bytes, ASCII without the
    characters > ? ~ is the same in both.
    """
    at = int(now.timestamp())
    tags = [
        ["t", "upload"], ["x", sha256], ["expiration", str(at + VALID_SECONDS)],
        ["server", (urlsplit(server).hostname or "").lower()],
    ]  # fmt: skip
    event: Mapping[str, Any] = signed(private_key, at - SKEW_SECONDS, UPLOAD, tags, "Upload a file")
    encoded = msgspec.json.encode(event)
    return f"Nostr {base64.b64encode(encoded + b' ' * (-len(encoded) % 3)).decode()}"
