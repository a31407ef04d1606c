"""Uploading: images in one call, GIFs and videos in segments, with alt texts; X converts what moves."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from signalpost.kit import clock, foreign
from signalpost.kit.http import BadResponse
from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.x.calls import call
from signalpost.networks.contract import ApiError, NetworkSession, OutgoingMedia, Pending, Refused, Response
from signalpost.networks.responses import members, response_text, string
from signalpost.networks.threads import ThreadPart

MEDIA_SECONDS_MAX = 82_800  # X drops files that stay unused for a day
SEGMENT_BYTES = 4_000_000
UPLOAD_SECONDS = 100.0
ATTEMPT_SECONDS = 120.0  # of an upload; an attempt has 240 s for everything
POLL_SECONDS = 5.0
_UPLOAD = "/2/media/upload"
_CATEGORIES = {"image": "tweet_image", "gif": "tweet_gif", "video": "tweet_video"}


async def media_ids_of(part: ThreadPart) -> list[str] | Pending | Refused:
    """Return the ids of a part's files, uploading what is missing; Pending while there is more to upload or convert."""
    ids: list[str] = []
    wait = 0.0
    for number, media in enumerate(part.content.media):
        upload = await _continued(part, media, f"media:{part.index}:{number}")
        if isinstance(upload, Refused):
            return upload
        if not upload.get("ready"):
            wait = max(wait, upload.get("check_after", POLL_SECONDS))
        ids.append(upload["id"])
    return Pending(state={"part": part.index}, poll_after_seconds=wait) if wait else ids


async def _continued(part: ThreadPart, media: OutgoingMedia, step: str) -> Mapping[str, Any] | Refused:
    """Bring a file one stage further than the journal says: uploaded, and then converted."""
    session, upload = part.session, part.journal.steps.get(step)
    if upload is not None and upload.get("ready") and not _is_old(session, upload):
        return dict(upload)
    if upload is None or _is_old(session, upload):
        if media.kind == "image":
            upload = await _finished(session, media, await _in_one(session, media))
            await part.journal.record(step, upload)
            return upload
        upload = await _begun(session, media)
        await part.journal.record(step, upload)
    if "ready" not in upload:
        return await _segments_sent(part, media, step, upload)
    response = await _status(session, upload["id"])
    state = _processing(response)
    if state.get("state") == "failed":
        return _failed(response, state)
    upload = {**upload, **_progress(state)}
    await part.journal.record(step, upload)
    return upload


def _is_old(session: NetworkSession, upload: Mapping[str, Any]) -> bool:
    return session.now() - datetime.fromisoformat(upload["at"]) > timedelta(seconds=MEDIA_SECONDS_MAX)


async def _in_one(session: NetworkSession, media: OutgoingMedia) -> Response:
    file = FormPart("media", await media.bytes(), filename=media.file_name, content_type=media.mime_type)
    form = [file, FormPart("media_category", "tweet_image")]
    return await call(session, "POST", _UPLOAD, data=form, timeout_seconds=UPLOAD_SECONDS)


async def _begun(session: NetworkSession, media: OutgoingMedia) -> dict[str, Any]:
    body = {"media_type": media.mime_type, "total_bytes": media.size_bytes, "media_category": _CATEGORIES[media.kind]}
    response = await call(session, "POST", f"{_UPLOAD}/initialize", json=body)
    return {"id": _id(response), "at": clock.wire(session.now()), "segments": 0}


async def _segments_sent(
    part: ThreadPart, media: OutgoingMedia, step: str, upload: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Send the segments that are missing and end the upload; a long one is interrupted until the next poll."""
    session, path = part.session, f"{_UPLOAD}/{upload['id']}"
    began, index = session.now(), 0
    if upload.get("whole"):
        return await _recorded(part, media, step, await _ended_again(session, upload["id"]))
    async for segment in _segments(media):
        if index >= upload["segments"]:
            file = FormPart("media", segment, filename="segment", content_type="application/octet-stream")
            form = [FormPart("segment_index", str(index)), file]
            await call(session, "POST", f"{path}/append", data=form, timeout_seconds=UPLOAD_SECONDS)
            if session.now() - began > timedelta(seconds=ATTEMPT_SECONDS):
                interrupted = {**upload, "segments": index + 1, "check_after": 1.0}
                await part.journal.record(step, interrupted)
                return interrupted
        index += 1
    await part.journal.record(step, {**upload, "segments": index, "whole": True})
    return await _recorded(part, media, step, await _ended(session, upload["id"]))


async def _ended(session: NetworkSession, media_id: str) -> Response:
    return await call(session, "POST", f"{_UPLOAD}/{media_id}/finalize", timeout_seconds=UPLOAD_SECONDS)


async def _ended_again(session: NetworkSession, media_id: str) -> Response:
    """End an upload whose end may have reached X before: then it takes neither segments nor another end."""
    try:
        response = await _status(session, media_id)
    except ApiError as error:
        if error.response.status not in {400, 404}:
            raise
    else:
        if _processing(response):
            return response
    return await _ended(session, media_id)


async def _status(session: NetworkSession, media_id: str) -> Response:
    return await call(session, "GET", _UPLOAD, params={"command": "STATUS", "media_id": media_id})


async def _recorded(part: ThreadPart, media: OutgoingMedia, step: str, response: Response) -> Mapping[str, Any]:
    finished = await _finished(part.session, media, response)
    await part.journal.record(step, finished)
    return finished


async def _finished(session: NetworkSession, media: OutgoingMedia, response: Response) -> dict[str, Any]:
    """Describe a file that is uploaded. What is not in the journal yet is repeated after a crash, and does no harm."""
    media_id = _id(response)
    if media.alt_text and media.kind != "video":
        body = {"id": media_id, "metadata": {"alt_text": {"text": media.alt_text}}}
        await call(session, "POST", "/2/media/metadata", json=body)
    return {"id": media_id, "at": clock.wire(session.now()), **_progress(_processing(response))}


async def _segments(media: OutgoingMedia) -> AsyncIterator[bytes]:
    held = bytearray()
    async for chunk in media.read():
        held += chunk
        while len(held) >= SEGMENT_BYTES:
            yield bytes(held[:SEGMENT_BYTES])
            del held[:SEGMENT_BYTES]
    if held:
        yield bytes(held)


def _data(response: Response) -> Mapping[str, Any]:
    data = members(response).get("data")
    return data if isinstance(data, dict) else {}


def _id(response: Response) -> str:
    media_id = string(_data(response).get("id"))
    if media_id is None or not media_id.isdigit():
        raise BadResponse("the response names no file", status=response.status)
    return media_id


def _processing(response: Response) -> Mapping[str, Any]:
    """Return what X says about the conversion; a file without it is ready."""
    state = _data(response).get("processing_info")
    return state if isinstance(state, dict) else {}


def _progress(state: Mapping[str, Any]) -> dict[str, Any]:
    after = foreign.seconds(state.get("check_after_secs"), maximum=600.0)
    return {"ready": state.get("state", "succeeded") == "succeeded", "check_after": after or POLL_SECONDS}


def _failed(response: Response, state: Mapping[str, Any]) -> Refused:
    error = state.get("error")
    text = string(error.get("message")) if isinstance(error, dict) else None
    return Refused(
        code="media_processing_failed",
        message=f"X could not convert the file: {text or 'it does not say why'}",
        http_status=response.status,
        response=response_text(response),
    )
