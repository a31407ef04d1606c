"""Uploading files: Reddit signs a form for the host of its files, which takes the file and knows no account."""

import struct
import zlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.reddit.calls import call
from signalpost.networks.connectors.reddit.facts import FACTS
from signalpost.networks.contract import NetworkSession, OutgoingMedia, Response
from signalpost.networks.responses import members, string
from signalpost.networks.threads import ThreadPart

UPLOAD_SECONDS: Final = 220.0
_KEPT: Final = timedelta(minutes=30)
"""How long an upload that no post uses yet is used again; Reddit does not say how long it keeps them."""
_NAMES: Final = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/gif": "gif",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
}


def _plain_picture(width: int, height: int) -> bytes:
    """Return a grey picture as PNG."""
    rows = (b"\0" + b"\x80" * width) * height

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


_PLAIN: Final = _plain_picture(640, 360)


class Uploaded(NamedTuple):
    """A file at Reddit: single ones are named by their address, those of a gallery by their id."""

    url: str
    id: str


async def upload(part: ThreadPart, step: str, media: OutgoingMedia | None) -> Uploaded:
    """Upload a file, or take over what an earlier attempt uploaded; None: a plain picture to show for a video."""
    stored = part.journal.steps.get(step)
    if stored is not None and datetime.fromisoformat(stored["at"]) > part.session.now() - _KEPT:
        return Uploaded(stored["url"], stored["id"])
    mime_type = "image/png" if media is None else media.mime_type
    name = f"{step.replace(':', '-')}.{_NAMES.get(mime_type, 'bin')}"
    form = {"filepath": name, "mimetype": mime_type}
    lease = members(await call(part.session, "POST", "/api/media/asset.json", data=form))
    action, fields, asset_id = _lease(lease)
    content, size = (_PLAIN, len(_PLAIN)) if media is None else (media.read(), media.size_bytes)
    file = FormPart("file", content, filename=name, content_type=mime_type, size=size)
    await _send(part.session, action, [*[FormPart(key, value) for key, value in fields.items()], file])
    uploaded = Uploaded(f"{action}/{fields['key']}", asset_id)
    await part.journal.record(step, {**uploaded._asdict(), "at": clock.wire(part.session.now())})
    return uploaded


def _lease(lease: Mapping[str, Any]) -> tuple[str, dict[str, str], str]:
    arguments, asset = lease.get("args"), lease.get("asset")
    listed = arguments.get("fields") if isinstance(arguments, dict) else None
    fields = {
        entry["name"]: entry["value"]
        for entry in (listed if isinstance(listed, list) else [])
        if isinstance(entry, dict) and string(entry.get("name")) and isinstance(entry.get("value"), str)
    }
    action = string(arguments.get("action")) if isinstance(arguments, dict) else None
    asset_id = string(asset.get("asset_id")) if isinstance(asset, dict) else None
    if action is None or asset_id is None or "key" not in fields:
        raise BadResponse("the response says not how to upload")
    return f"https:{action}" if action.startswith("//") else action, fields, asset_id


async def _send(session: NetworkSession, action: str, form: list[FormPart]) -> Response:
    """Send a form to the host that Reddit named; those that are known may stand elsewhere, as a simulator."""
    origin, path = urlsplit(action)[:2], urlsplit(action).path or "/"
    name = next((name for name, url in FACTS.hosts.items() if urlsplit(url)[:2] == origin), None)
    server, path = (session.server, action) if name is None else (session.server.at(name), path)
    return await server.call("POST", path, data=form, timeout_seconds=UPLOAD_SECONDS, expect=(200, 201, 204))
