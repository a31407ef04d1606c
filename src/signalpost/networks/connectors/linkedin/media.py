"""Uploads of images, videos and documents. What an earlier attempt uploaded stays in the journal."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.networks.connectors.linkedin.calls import call, encoded
from signalpost.networks.contract import ApiError, Journal, NetworkSession, OutgoingMedia, Pending, Refused, Response
from signalpost.networks.responses import members, string
from signalpost.networks.threads import ThreadPart
from signalpost.networks.uploads import PART_SECONDS, FileParts, UploadClock

_KINDS: Final = {"image": "image", "gif": "image", "video": "video", "document": "document"}
_KEPT_SECONDS: Final = 43_200
"""How long an upload that no post uses yet is believed to be there."""
_POLL_SECONDS: Final = 5.0
_UNREADABLE_SECONDS: Final = 15.0
"""How long a file gets to be processed where LinkedIn does not say (403 for apps without its partner programs)."""
_PARTS_NOTED: Final = 50
"""Addresses or ETags in one step of the journal."""


async def urns_of(part: ThreadPart, owner: str) -> list[str] | Pending | Refused:
    """Return the URNs of the post's files, uploading what is missing; Pending while LinkedIn is not ready for them."""
    urns: list[str] = []
    until = UploadClock(part.session)
    for number, media in enumerate(part.content.media):
        step = f"media:{number}"
        upload = part.journal.steps.get(step)
        if upload is None or _is_old(part.session, upload):
            upload = await _begin(part.session, part.journal, step, media, owner)
        if upload.get("sent") is not True:
            sent = await _send(part.session, part.journal, step, media, upload, until)
            if sent is None:
                return Pending(state={"upload": number}, poll_after_seconds=1.0)
            upload = sent
        outcome = await _processed(part.session, media, upload)
        if outcome is not None:
            return outcome
        urns.append(upload["urn"])
    return urns


def _is_old(session: NetworkSession, upload: Mapping[str, Any]) -> bool:
    return session.now() - datetime.fromisoformat(upload["at"]) > timedelta(seconds=_KEPT_SECONDS)


async def _begin(
    session: NetworkSession, journal: Journal, step: str, media: OutgoingMedia, owner: str
) -> Mapping[str, Any]:
    await _forget(journal, step)
    kind = _KINDS[media.kind]
    request: dict[str, Any] = {"owner": owner}
    if kind == "video":
        request |= {"fileSizeBytes": media.size_bytes, "uploadCaptions": False, "uploadThumbnail": False}
    body = {"initializeUploadRequest": request}
    response = await call(session, "POST", f"/rest/{kind}s?action=initializeUpload", json=body)
    value = members(response).get("value")
    value = value if isinstance(value, dict) else {}
    urn = string(value.get(kind))
    if urn is None:
        raise BadResponse("the response names no file", status=response.status)
    upload: dict[str, Any] = {"urn": urn, "kind": kind, "at": clock.wire(session.now())}
    if kind == "video":
        # Every part but the last has the size of the first, so their addresses are all that is kept.
        parts = _parts(value.get("uploadInstructions"), media.size_bytes)
        upload |= {"token": string(value.get("uploadToken")) or "", "size": parts[0][2]}
        for start in range(0, len(parts), _PARTS_NOTED):
            await journal.record(f"{step}:urls:{start}", [url for url, _, _ in parts[start : start + _PARTS_NOTED]])
    else:
        url = string(value.get("uploadUrl"))
        if url is None:
            raise BadResponse("the response names no address to upload to", status=response.status)
        upload["url"] = url
    await journal.record(step, upload)
    return upload


def _parts(instructions: Any, size: int) -> list[tuple[str, int, int]]:
    """Return address, start and end (exclusive) of each part; they must cover the file in order, without gaps."""
    parts, at = [], 0
    for item in instructions if isinstance(instructions, list) else ():
        url = string(item.get("uploadUrl")) if isinstance(item, dict) else None
        last = item.get("lastByte") if isinstance(item, dict) else None
        if url is None or type(last) is not int or item.get("firstByte") != at or last < at:
            raise BadResponse("the parts of the upload are not in order")
        parts.append((url, at, last + 1))
        at = last + 1
    if at != size:
        raise BadResponse("the parts of the upload do not cover the file")
    return parts


async def _forget(journal: Journal, step: str) -> None:
    """Drop an upload that cannot be continued."""
    for name in [name for name in journal.steps if name == step or name.startswith(f"{step}:")]:
        await journal.record(name, None)


async def _send(
    session: NetworkSession,
    journal: Journal,
    step: str,
    media: OutgoingMedia,
    upload: Mapping[str, Any],
    until: UploadClock,
) -> Mapping[str, Any] | None:
    """Upload a file, or go on with its parts; None when the time of this attempt is over."""
    try:
        if upload["kind"] == "video":
            etags = await _send_parts(session, journal, step, media, upload, until)
            if etags is None:
                return None
            body = {"video": upload["urn"], "uploadToken": upload["token"], "uploadedPartIds": etags}
            await call(session, "POST", "/rest/videos?action=finalizeUpload", json={"finalizeUploadRequest": body})
        else:
            await _put(session, upload["url"], media.read(), media.size_bytes, media.mime_type)
    except ApiError as error:
        if members(error.response).get("code") == "EXPIRED_UPLOAD_URL" or error.response.status in {404, 410}:
            await _forget(journal, step)
        raise
    done = {name: upload[name] for name in ("urn", "kind")} | {"sent": True, "at": clock.wire(session.now())}
    await journal.record(step, done)
    return done


async def _send_parts(
    session: NetworkSession,
    journal: Journal,
    step: str,
    media: OutgoingMedia,
    upload: Mapping[str, Any],
    until: UploadClock,
) -> list[str] | None:
    """Upload the parts that are missing; return the ETags of all, or None when the time of this attempt is over."""
    file, all_etags = FileParts(media), []
    for start, urls in _noted(journal, step, "urls"):
        name = f"{step}:etags:{start}"
        etags: list[str] = list(journal.steps.get(name) or ())
        try:
            for index in range(start + len(etags), start + len(urls)):
                if until.is_over:
                    break
                first = index * upload["size"]
                end = min(first + upload["size"], media.size_bytes)
                data = file.read(first, end)
                response = await _put(session, urls[index - start], data, end - first, "application/octet-stream")
                etags.append(_etag(response))
        except (ApiError, HttpFailure):
            await journal.record(name, etags)
            raise
        await journal.record(name, etags)
        if len(etags) < len(urls):
            return None
        all_etags += etags
    return all_etags


def _noted(journal: Journal, step: str, what: str) -> list[tuple[int, list[str]]]:
    """Return the steps that list something of the parts, by the number of their first part."""
    prefix = f"{step}:{what}:"
    steps = [
        (int(name.removeprefix(prefix)), value) for name, value in journal.steps.items() if name.startswith(prefix)
    ]
    return sorted((start, value) for start, value in steps if value)


def _etag(response: Response) -> str:
    etag = string(response.headers.get("ETag"))
    if etag is None:
        raise BadResponse("the response to a part has no usable ETag", status=response.status)
    return etag


async def _put(session: NetworkSession, url: str, data: Any, size: int, content_type: str) -> Response:
    headers = {"Content-Type": content_type, "Content-Length": str(size)}
    if session.server.has(url):
        headers["Authorization"] = f"Bearer {session.secrets['accessToken']}"
    return await session.server.call(
        "PUT", url, headers=headers, data=data, timeout_seconds=PART_SECONDS, expect=(200, 201)
    )


async def _processed(
    session: NetworkSession, media: OutgoingMedia, upload: Mapping[str, Any]
) -> Pending | Refused | None:
    """Return None when a file can be used in a post. Images are ready at once."""
    if upload["kind"] == "image":
        return None
    pending = Pending(state={"processing": upload["urn"]}, poll_after_seconds=_POLL_SECONDS)
    try:
        response = await call(session, "GET", f"/rest/{upload['kind']}s/{encoded(upload['urn'])}")
    except ApiError as error:
        if error.response.status != 403:
            raise
        age = session.now() - datetime.fromisoformat(upload["at"])
        return pending if age < timedelta(seconds=_UNREADABLE_SECONDS) else None
    value = members(response)
    if value.get("status") == "PROCESSING_FAILED":
        reason = string(value.get("processingFailureReason")) or "it does not say why"
        message = f"LinkedIn could not process {media.file_name}: {reason}."
        return Refused(code="media_processing_failed", message=message, http_status=response.status)
    return None if value.get("status") == "AVAILABLE" else pending


async def upload_image(session: NetworkSession, data: bytes, mime_type: str, owner: str) -> str:
    """Upload the picture of a link card and return its URN."""
    body = {"initializeUploadRequest": {"owner": owner}}
    response = await call(session, "POST", "/rest/images?action=initializeUpload", json=body)
    value = members(response).get("value")
    url, urn = (string(value.get(name)) for name in ("uploadUrl", "image")) if isinstance(value, dict) else (None, None)
    if url is None or urn is None:
        raise BadResponse("the response names no image", status=response.status)
    await _put(session, url, data, len(data), mime_type)
    return urn
