"""The upload of a video in parts. TikTok publishes it when the last part has arrived."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.tiktok.calls import LAST_PART, PART, call
from signalpost.networks.contract import ApiError, Response
from signalpost.networks.responses import string
from signalpost.networks.threads import ThreadPart
from signalpost.networks.uploads import PART_SECONDS, FileParts, UploadClock

STEP: Final = "upload"
WHOLE_BYTES_MAX: Final = 64_000_000
"""Up to this size a video is one part: TikTok refuses one part whose announced size is not that of the video."""
PART_BYTES: Final = 10_000_000
"""Between the 5 and 64 million bytes that TikTok allows; the last part is up to twice as large."""
_ADDRESS_SECONDS: Final = 3_300
"""A little less than the hour for which an address to upload to is valid."""
_RANGE: Final = re.compile(r"bytes 0-(\d{1,15})/\d{1,15}")


def part_ends(size: int) -> list[int]:
    """Return where each part of a file ends."""
    if size <= WHOLE_BYTES_MAX:
        return [size]
    count = size // PART_BYTES
    return [*(PART_BYTES * number for number in range(1, count)), size]


async def start_video(part: ThreadPart, info: Mapping[str, Any]) -> dict[str, Any]:
    """Announce the video; without its bytes this publishes nothing."""
    size = part.content.media[0].size_bytes
    ends = part_ends(size)
    source = {"source": "FILE_UPLOAD", "video_size": size, "chunk_size": ends[0], "total_chunk_count": len(ends)}
    direct = "/v2/post/publish/video/init/"
    inbox = "/v2/post/publish/inbox/video/init/"
    body = {"post_info": dict(info), "source_info": source} if info else {"source_info": source}
    data = await call(part.session, direct if info else inbox, body)
    publish_id, url = string(data.get("publish_id")), string(data.get("upload_url"))
    if publish_id is None or url is None:
        raise BadResponse("the response names no address to upload to", status=200)
    upload = {"publish": publish_id, "url": url, "at": clock.wire(part.session.now()), "info": dict(info)}
    await part.journal.record(STEP, upload)
    return upload


async def send_video(part: ThreadPart, upload: Mapping[str, Any]) -> bool:
    """Upload the parts that are missing; return whether none is left, and so TikTok goes on by itself."""
    session, media = part.session, part.content.media[0]
    if session.now() - datetime.fromisoformat(upload["at"]) > timedelta(seconds=_ADDRESS_SECONDS):
        upload = await start_video(part, upload["info"])  # what was sent so far was never published
    until, file, at = UploadClock(session), FileParts(media), 0
    stored = upload.get("stored")
    ends = part_ends(media.size_bytes)
    for end in ends:
        if type(stored) is int and stored >= end:
            at = end
            continue
        if until.is_over:
            return False
        last = end == media.size_bytes
        if last:
            await part.intend({"publish": upload["publish"], "at": upload["at"]})
        headers = {
            "Content-Type": media.mime_type,
            "Content-Length": str(end - at),
            "Content-Range": f"bytes {at}-{end - 1}/{media.size_bytes}",
        }
        response = await session.server.call(
            "PUT", upload["url"], headers=headers, data=file.read(at, end), timeout_seconds=PART_SECONDS, expect=None
        )
        if response.status in {403, 404}:  # the address is no longer valid
            await part.journal.record(STEP, None)
        if response.status != (201 if last else 206) and not _has_part(response, end):
            raise ApiError(response, LAST_PART if last else PART)
        at = end
    await part.journal.record(STEP, {**upload, "complete": True})
    return True


def _has_part(response: Response, end: int) -> bool:
    """Return whether TikTok refuses a part because an earlier attempt had sent it."""
    match = _RANGE.fullmatch(response.headers.get("Content-Range") or "")
    return response.status == 416 and match is not None and int(match[1]) + 1 >= end
