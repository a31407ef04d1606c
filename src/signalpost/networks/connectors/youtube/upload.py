"""The resumable upload of a video. Its session tells how much of the file is there, and the video once it is whole."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.youtube.calls import CREATE, call, refresh
from signalpost.networks.connectors.youtube.facts import FACTS
from signalpost.networks.contract import (
    ApiError,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Pending,
    Refused,
    Response,
)
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored
from signalpost.networks.uploads import PART_SECONDS, FileParts, UploadClock

PART_BYTES: Final = 8 * 1024 * 1024
"""A multiple of 256 KiB, as the protocol wants."""
_STEP: Final = "upload"
_PART: Final = "PUT a part"
_GONE: Final = frozenset({404, 410})
_RANGE: Final = re.compile(r"bytes=0-(\d{1,15})")
_EARLY_SECONDS: Final = 120
"""A video that was just uploaded may not be in the list of the channel yet."""
_SKEW: Final = timedelta(seconds=60)
_LISTED: Final = 50


async def create(part: ThreadPart) -> PublicPart | Outcome:
    """Upload the video, or go on where an earlier attempt stopped. With the last part it exists."""
    session, journal = part.session, part.journal
    if not part.content.media:
        return Refused(code="media_missing", message="A post on YouTube needs a video.")
    upload, stored = journal.steps.get(_STEP), 0
    if upload is not None:
        existing = await _ask(session, upload["session"], part.content.media[0].size_bytes)
        if isinstance(existing, Mapping):
            return existing
        upload, stored = (None, 0) if existing is None else (upload, existing)
    if upload is None:
        upload = await _begin(part)
    return await _send(part, upload, stored)


async def _send(part: ThreadPart, upload: Mapping[str, Any], at: int) -> PublicPart | Pending:
    """Send the parts from byte `at` on."""
    session, size = part.session, part.content.media[0].size_bytes
    until, file = UploadClock(session), FileParts(part.content.media[0])
    while not until.is_over:
        end = min(at + PART_BYTES, size)
        last = end == size
        if last:
            await part.intend({**upload, "sent_at": clock.wire(session.now())})
        content_range = f"bytes {at}-{end - 1}/{size}"
        parts = _Parts(part.content.media[0], file, at, end)
        response = await _put(session, upload["session"], content_range, parts.read, end - at, last=last)
        file = parts.file
        if response.status != 308:
            return _video(response)
        stored = _stored(response)
        if not at < stored <= end or stored == size:
            raise BadResponse("the response names a wrong part of the file", status=308)
        if stored < end:
            file = FileParts(part.content.media[0])  # the stream is past what was not stored
        at = stored
    return Pending(state={"sent": at}, poll_after_seconds=1.0)


async def _begin(part: ThreadPart) -> dict[str, Any]:
    """Open a session for the upload; it makes nothing public."""
    outgoing, media = part.outgoing, part.content.media[0]
    query = {"uploadType": "resumable", "part": "snippet,status"}
    if "notifySubscribers" in outgoing.options:
        query["notifySubscribers"] = "true" if outgoing.options["notifySubscribers"] else "false"
    headers = {"X-Upload-Content-Length": str(media.size_bytes), "X-Upload-Content-Type": media.mime_type}
    path = f"/upload/youtube/v3/videos?{urlencode(query)}"
    response = await call(part.session, "POST", path, headers=headers, json=_resource(outgoing))
    url = string(response.headers.get("Location"))
    if url is None or not part.session.server.has(url):  # no other host gets the token
        raise BadResponse("the response names no address to upload to", status=response.status)
    upload = {"session": url, "at": clock.wire(part.session.now())}
    await part.journal.record(_STEP, upload)
    return upload


def _resource(outgoing: Outgoing) -> dict[str, Any]:
    options = outgoing.options
    snippet: dict[str, Any] = {
        "title": outgoing.title or "",
        "description": text_of_part(FACTS, outgoing, 0),
        "categoryId": options.get("categoryId", "22"),
    }
    if options.get("tags"):
        snippet["tags"] = list(options["tags"])
    status: dict[str, Any] = {
        "privacyStatus": options.get("visibility", "public"),
        "selfDeclaredMadeForKids": options.get("madeForKids", False),
    }
    if "syntheticMedia" in options:
        status["containsSyntheticMedia"] = options["syntheticMedia"]
    return {"snippet": snippet, "status": status}


class _Parts:
    """Reads one part of the file, and again from the beginning if it has to be sent again."""

    def __init__(self, media: OutgoingMedia, file: FileParts, start: int, end: int) -> None:
        self.file = file
        self._media, self._start, self._end, self._begun = media, start, end, False

    def read(self) -> AsyncIterator[bytes]:
        if self._begun:  # the stream is past it
            self.file = FileParts(self._media)
        self._begun = True
        return self.file.read(self._start, self._end)


async def _put(
    session: NetworkSession, url: str, content_range: str, read: Callable[[], Any], size: int, *, last: bool = False
) -> Response:
    async def send(token: str) -> Response:
        headers = {"Authorization": f"Bearer {token}", "Content-Length": str(size), "Content-Range": content_range}
        response = await session.server.call(
            "PUT", url, headers=headers, data=read(), timeout_seconds=PART_SECONDS, expect=None
        )
        if response.status not in {200, 201, 308}:
            raise ApiError(response, CREATE if last else _PART)
        return response

    return await oauth2.call_with_token(session, refresh, send)


async def _ask(session: NetworkSession, url: str, size: int) -> PublicPart | int | None:
    """Return the video if its upload is complete, how many bytes of it are there, or None if the session is gone."""
    try:
        response = await _put(session, url, f"bytes */{size}", lambda: b"", 0)
    except ApiError as error:
        if error.response.status in _GONE:
            return None
        raise
    return _stored(response) if response.status == 308 else _video(response)


def _stored(response: Response) -> int:
    """Return how many bytes are stored; without a Range, none."""
    match = _RANGE.fullmatch(response.headers.get("Range") or "")
    return int(match[1]) + 1 if match else 0


def _video(response: Response) -> PublicPart:
    video_id = string(members(response).get("id"))
    if video_id is None:
        raise BadResponse("the response names no video", status=response.status)
    return {"id": video_id}


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Ask the session whether the video is whole; if the session is gone, look through the channel's newest videos."""
    session, size = part.session, part.content.media[0].size_bytes if part.content.media else 0
    if is_restored(intended):
        return await _search(session, part.outgoing.title or "", datetime.fromisoformat(intended["at"]) - _SKEW)
    existing = await _ask(session, intended["session"], size)
    if existing is not None:
        return existing if isinstance(existing, Mapping) else None
    at = datetime.fromisoformat(intended["at"])
    sent_at = datetime.fromisoformat(intended.get("sent_at") or intended["at"])
    left = timedelta(seconds=_EARLY_SECONDS) - (session.now() - sent_at)
    if left > timedelta(0):
        message = "It is too early to tell whether YouTube received the video."
        return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())
    return await _search(session, part.outgoing.title or "", at - _SKEW)


async def _search(session: NetworkSession, title: str, since: datetime) -> PublicPart | OutcomeUnknown | None:
    playlist = session.facts.get("uploads") or f"UU{session.remote_id.removeprefix('UC')}"
    query = urlencode({"part": "snippet,contentDetails", "playlistId": playlist, "maxResults": _LISTED})
    response = await call(session, "GET", f"/youtube/v3/playlistItems?{query}")
    items = members(response).get("items")
    if not isinstance(items, list):
        raise BadResponse("the response is not a list of videos", status=response.status)
    reaches_back = len(items) < _LISTED
    for item in items:
        snippet = item.get("snippet") if isinstance(item, dict) else None
        details = item.get("contentDetails") if isinstance(item, dict) else None
        video_id = string(details.get("videoId")) if isinstance(details, dict) else None
        if not video_id or not isinstance(snippet, dict):
            continue
        published_at = _instant(snippet.get("publishedAt"))
        if published_at is None:
            continue
        if snippet.get("title") == title and published_at >= since:
            return {"id": video_id}
        reaches_back |= published_at < since
    if not reaches_back:
        return OutcomeUnknown(message="The channel has published too many videos since then to find this one.")
    return None


def _instant(value: Any) -> datetime | None:
    try:
        instant = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return instant if instant.tzinfo is not None else None
