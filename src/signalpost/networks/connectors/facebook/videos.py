"""Videos, reels and video stories: an id first, then the bytes, then one call that publishes, then processing.

Publishing the same id again does no harm, and its state can be read: so a lost response is always found out about.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from msgspec import Struct

from signalpost.kit import clock
from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.facebook.account import page_graph
from signalpost.networks.connectors.facebook.facts import kind_of
from signalpost.networks.contract import (
    ApiError,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    OutgoingMedia,
    Pending,
    Refused,
)
from signalpost.networks.meta.errors import read_error
from signalpost.networks.responses import members, string, texts
from signalpost.networks.threads import PublicPart, ThreadPart
from signalpost.networks.uploads import PART_SECONDS, FileParts, UploadClock

STEP: Final = "video"
UPLOAD_SECONDS_MAX: Final = 43_200
"""Half of the day for which an upload may stay unfinished."""
POLL_SECONDS: Final = 10.0
_EDGES: Final[Mapping[str, str]] = {"feed": "videos", "reel": "video_reels", "story": "video_stories"}
_OTHER_OFFSET: Final = 1_363_037
_FIELDS: Final = "status,permalink_url,published"


class VideoState(Struct, frozen=True):
    """Where a video is: waiting to be published, being processed, public (or a draft, if it is to be one), or lost."""

    phase: Literal["waiting", "working", "public", "failed"]
    message: str = ""
    url: str | None = None


async def publish_video(part: ThreadPart) -> PublicPart | Outcome:
    """Upload the video and publish it; Pending while Facebook processes it."""
    upload = await _uploaded(part)
    if isinstance(upload, Pending):
        return upload
    intended = part.intended if (part.intended or {}).get("video") == upload["id"] else None
    await part.intend(intended or {"at": clock.wire(part.session.now()), "video": upload["id"]})
    kind, graph = kind_of(part.outgoing), page_graph(part.session)
    form = {"upload_phase": "finish", **_finish(part, upload)}
    edge = f"{part.session.remote_id}/{_EDGES[kind]}"
    if kind == "feed":
        graph = page_graph(part.session, host="video")
    response = await graph.post(edge, form, publishes=True)
    if members(response).get("success") is not True:
        raise BadResponse("the response does not say that the video is published", status=response.status)
    return Pending(state={"video": upload["id"]}, poll_after_seconds=POLL_SECONDS)


def _finish(part: ThreadPart, upload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the last call says of the video."""
    outgoing = part.outgoing
    draft = outgoing.options.get("draft") is True
    match kind_of(outgoing):
        case "story":
            return {"video_id": upload["id"]}
        case "reel":
            state = "DRAFT" if draft else "PUBLISHED"
            return {
                "video_id": upload["id"],
                "video_state": state,
                "description": outgoing.text or None,
                "title": outgoing.title,
            }
        case _:
            form = {
                "upload_session_id": upload["session"],
                "description": outgoing.text or None,
                "title": outgoing.title,
            }
            return form | ({"published": False, "unpublished_content_type": "DRAFT"} if draft else {})


async def _uploaded(part: ThreadPart) -> Mapping[str, Any] | Pending:
    """Return the upload of the video, whose bytes Facebook has; start it again if it is too old."""
    upload, now = part.journal.steps.get(STEP), part.session.now()
    if upload is None or now - datetime.fromisoformat(upload["at"]) > timedelta(seconds=UPLOAD_SECONDS_MAX):
        upload = await _start(part)
        await part.journal.record(STEP, upload)
    if upload["complete"]:
        return upload
    send = _send_parts if kind_of(part.outgoing) == "feed" else _send_whole
    sent = await send(part, part.content.media[0], upload)
    if isinstance(sent, Pending):
        return sent
    await part.journal.record(STEP, complete := {**upload, "complete": True})
    return complete


async def _start(part: ThreadPart) -> dict[str, Any]:
    kind = kind_of(part.outgoing)
    form: dict[str, Any] = {"upload_phase": "start"}
    started = {"at": clock.wire(part.session.now()), "complete": False}
    if kind != "feed":
        response = await page_graph(part.session).post(f"{part.session.remote_id}/{_EDGES[kind]}", form)
        video_id, url = texts(response, "video_id", "upload_url")
        return {"id": video_id, "url": url, **started}
    graph = page_graph(part.session, host="video")
    form["file_size"] = str(part.content.media[0].size_bytes)
    response = await graph.post(f"{part.session.remote_id}/videos", form)
    video_id, session_id = texts(response, "video_id", "upload_session_id")
    return {"id": video_id, "session": session_id, "range": _range(members(response)), **started}


def _range(body: Mapping[str, Any]) -> list[int]:
    """Return which bytes Facebook asks for next."""
    try:
        return [int(body["start_offset"]), int(body["end_offset"])]
    except (KeyError, TypeError, ValueError):
        raise BadResponse("the response does not say which bytes to send next") from None


async def _send_parts(part: ThreadPart, media: OutgoingMedia, upload: Mapping[str, Any]) -> Pending | None:
    """Send the parts of the file that Facebook asks for, one after the other."""
    graph, parts, until = page_graph(part.session, host="video"), FileParts(media), UploadClock(part.session)
    start, end = upload["range"]
    while start < end:
        if until.is_over:
            await part.journal.record(STEP, {**upload, "range": [start, end]})
            return Pending(state={"uploaded": start})
        file = FormPart(
            "video_file_chunk",
            parts.read(start, end),
            filename=media.file_name,
            content_type=media.mime_type,
            size=end - start,
        )
        form = {"upload_phase": "transfer", "upload_session_id": upload["session"], "start_offset": str(start)}
        edge = f"{part.session.remote_id}/videos"
        try:
            following = _range(members(await graph.upload(edge, form, file, timeout_seconds=PART_SECONDS)))
        except ApiError as error:
            following = _expected(error)
        if following[0] <= start:
            raise BadResponse("Facebook asks for the same bytes again")
        start, end = following
    return None


def _expected(error: ApiError) -> list[int]:
    """Return which bytes Facebook expects, if it has the ones that were sent; their response was lost then.

    Raises:
        ApiError: the error says something else.
    """
    meta = read_error(error.response)
    data = members(error.response).get("error")
    data = data.get("error_data") if isinstance(data, dict) else None
    if meta is None or meta.subcode != _OTHER_OFFSET or not isinstance(data, dict):
        raise error
    return _range(data)


async def _send_whole(part: ThreadPart, media: OutgoingMedia, upload: Mapping[str, Any]) -> None:
    """Send the file to the address that Facebook named, from where an earlier attempt stopped."""
    session, url = part.session, upload["url"]
    if not session.server.has(url):
        raise BadResponse("Facebook named an address at another host")  # which gets neither the file nor the token
    graph = page_graph(session)
    offset = await _received(part, upload["id"])
    if offset == media.size_bytes:
        return
    headers = {"Authorization": f"OAuth {graph.token}", "offset": str(offset), "file_size": str(media.size_bytes)}
    headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(media.size_bytes - offset)}
    content = FileParts(media).read(offset, media.size_bytes)
    response = await session.server.call("POST", url, headers=headers, data=content, timeout_seconds=2 * PART_SECONDS)
    if members(response).get("success") is not True:
        raise BadResponse("Facebook did not take the file", status=response.status)


async def _received(part: ThreadPart, video_id: str) -> int:
    """Return how many bytes of an interrupted upload have arrived."""
    status = (await page_graph(part.session).get(video_id, fields="status")).get("status")
    phase = status.get("uploading_phase") if isinstance(status, dict) else None
    names = ("bytes_transferred", "bytes_transfered")  # the documentation has both
    counts = [phase[name] for name in names if type(phase.get(name)) is int] if isinstance(phase, dict) else []
    size = part.content.media[0].size_bytes
    return min(max(counts[0], 0), size) if counts else 0


async def read_video(session: NetworkSession, video_id: str, *, draft: bool) -> VideoState:
    """Return where a video is."""
    body = await page_graph(session).get(video_id, fields=_FIELDS)
    status = body.get("status")
    status = status if isinstance(status, dict) else {}
    phases = {name: _phase(status, f"{name}_phase") for name in ("uploading", "processing", "publishing")}
    whole = string(status.get("video_status")) or ""
    if whole in {"error", "upload_failed", "expired"} or "error" in phases.values():
        return VideoState("failed", _failure(status) or whole)
    is_ready = whole == "ready" and (phases["publishing"] in {"", "complete"} or draft)
    if is_ready and (draft or body.get("published") is not False):
        return VideoState("public", url=address(string(body.get("permalink_url"))))
    begun = {phases["processing"], phases["publishing"]} - {"", "not_started"}
    waits = whole in {"uploading", "upload_complete"} and not begun
    return VideoState("waiting" if waits else "working")


def _phase(status: Mapping[str, Any], name: str) -> str:
    phase = status.get(name)
    return (string(phase.get("status")) or "") if isinstance(phase, dict) else ""


def _failure(status: Mapping[str, Any]) -> str | None:
    phase = status.get("processing_phase")
    errors = phase.get("errors") if isinstance(phase, dict) else None
    first = errors[0] if isinstance(errors, list) and errors else None
    return string(first.get("message")) if isinstance(first, dict) else None


def address(permalink: str | None) -> str | None:
    """Return a permalink as an address; Facebook sometimes leaves its host out."""
    return f"https://www.facebook.com{permalink}" if permalink and permalink.startswith("/") else permalink


async def find_video(part: ThreadPart, video_id: str) -> PublicPart | OutcomeUnknown | None:
    """Find out what became of a video that was to be published; None if it waits for that still."""
    state = await read_video(part.session, video_id, draft=part.outgoing.options.get("draft") is True)
    match state.phase:
        case "public":
            return {"id": video_id, "url": state.url}
        case "working":
            return OutcomeUnknown(message="Facebook is still processing the video.", tells_after_seconds=60.0)
        case _:
            return None  # it is not public, and publishing it again does no harm


async def poll_video(session: NetworkSession, video_id: str, *, draft: bool) -> Pending | Refused | None:
    """Return None once the video is public."""
    try:
        state = await read_video(session, video_id, draft=draft)
    except HttpFailure:  # it is asked again
        state = VideoState("working")
    except ApiError as error:
        if error.response.status < 500:
            raise
        state = VideoState("working")
    if state.phase == "public":
        return None
    if state.phase == "failed":
        message = f"Facebook could not process the video: {state.message or 'no reason given'}"
        return Refused(code="media_processing_failed", message=message)
    return Pending(state={"video": video_id}, poll_after_seconds=POLL_SECONDS)
