"""Creating pins, finding them again on their board, and deleting them."""

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.kit.http import Part as FormPart
from signalpost.kit.worker_threads import in_thread
from signalpost.networks import oauth2
from signalpost.networks.connectors.pinterest.calls import CREATE, call, explain, refresh
from signalpost.networks.connectors.pinterest.facts import FACTS, board_id
from signalpost.networks.contract import (
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Pending,
    Published,
    Refused,
)
from signalpost.networks.in_parts import in_parts
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string, texts
from signalpost.networks.threads import PublicPart, ThreadPart

TOO_EARLY_SECONDS = 60  # younger than this, a missing pin may still be on its way
SKEW_SECONDS = 60  # between Pinterest's clock and ours
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 20, 250, 5_000_000
UPLOAD_SECONDS = 220.0
POLL_SECONDS = 5.0
COVER_SECONDS = 1
_TEXTS = ("title", "description", "link", "alt_text")


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the pin. One that does not exist counts as deleted."""
    await call(session, "DELETE", f"/v5/pins/{remote_id}", expect=(204, 404))


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    pin_id = posted[0]["id"]
    return Published(remote_id=pin_id, url=f"https://www.pinterest.com/pin/{pin_id}/")


def _board_of(part: ThreadPart) -> str:
    return board_id(part.outgoing, part.session.facts) or ""


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session = part.session
    if not _board_of(part):
        message = "The post names no board."
        return Refused(code="destination_missing", message=message, rule="pinterest.board.required")
    source = await _source(part)
    if isinstance(source, Pending | Refused):
        return source
    body = await in_thread(_encoded, {**_fields(part), "media_source": source})
    if oauth2.is_due(session):  # before the intent: a token that cannot be renewed leaves nothing unknown
        await session.renew(refresh)
    await part.intend({"at": clock.wire(session.now())})
    response = await call(
        session, "POST", CREATE.removeprefix("POST "), data=body, headers={"Content-Type": "application/json"},
        timeout_seconds=UPLOAD_SECONDS, expect=(200, 201),
    )  # fmt: skip
    (pin_id,) = texts(response, "id")
    return {"id": pin_id}


def _fields(part: ThreadPart) -> dict[str, Any]:
    """Return the members of a pin, without those that are empty."""
    outgoing = part.outgoing
    disclosures = list(dict.fromkeys(outgoing.options.get("aiDisclosures") or ()))
    values = {
        "board_id": _board_of(part),
        "board_section_id": outgoing.options.get("boardSectionId"),
        "title": outgoing.title,
        "description": text_of_part(FACTS, outgoing, 0),
        "link": outgoing.options.get("link") or outgoing.link,
        "alt_text": outgoing.media[0].alt_text if outgoing.media else None,
        "ai_disclosures": {"values": disclosures} if disclosures else None,
    }
    return {name: value for name, value in values.items() if value}


def _encoded(body: Mapping[str, Any]) -> bytes:
    """Encode a pin in a worker thread: with its images it can be large."""
    return json.dumps(body, default=lambda content: base64.b64encode(content).decode()).encode()


async def _source(part: ThreadPart) -> Mapping[str, Any] | Pending | Refused:
    files = part.content.media
    if not files:
        return Refused(code="media_missing", message="A pin needs media.", rule="pinterest.media.required")
    if files[0].kind == "video":
        return await _video(part, files[0])
    images = [{"content_type": media.mime_type, "data": await media.bytes()} for media in files]
    if len(images) == 1:
        return {"source_type": "image_base64", **images[0]}
    return {"source_type": "multiple_image_base64", "items": images, "index": 0}


async def _video(part: ThreadPart, media: OutgoingMedia) -> Mapping[str, Any] | Pending | Refused:
    """Return the source of a video that is converted; upload it before. Uploads that no pin uses do no harm."""
    session, step = part.session, f"media:{part.index}:0"
    upload = part.journal.steps.get(step)
    if upload is None:
        upload = {"id": await _upload(session, media)}
        await part.journal.record(step, upload)
    response = await call(session, "GET", f"/v5/media/{upload['id']}")
    status = members(response).get("status")
    if status == "failed":
        message = "Pinterest could not convert the video."
        return Refused(code="media_processing_failed", message=message, http_status=response.status)
    if status != "succeeded":
        return Pending(state={"part": part.index}, poll_after_seconds=POLL_SECONDS)
    source = {"source_type": "video_id", "media_id": upload["id"]}
    if cover := part.outgoing.options.get("coverImage"):
        return {**source, "cover_image_url": cover}
    return {**source, "cover_image_key_frame_time": COVER_SECONDS}


async def _upload(session: NetworkSession, media: OutgoingMedia) -> str:
    response = await call(session, "POST", "/v5/media", json={"media_type": "video"}, expect=(200, 201))
    media_id, url = texts(response, "media_id", "upload_url")
    parameters = members(response).get("upload_parameters")
    if not isinstance(parameters, dict) or not media_id.isdigit():
        raise BadResponse("the response says not how to upload", status=response.status)
    form = [FormPart(name, value) for name, value in parameters.items() if isinstance(value, str)]
    file = FormPart("file", media.read(), filename=media.file_name, content_type=media.mime_type, size=media.size_bytes)
    await session.server.call(
        "POST", url, data=[*form, file], timeout_seconds=UPLOAD_SECONDS, expect=(200, 201, 204)
    )  # fmt: skip
    return media_id


# --- finding a pin -------------------------------------------------------------------------------------------------


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for the pin on every page of the board: Pinterest promises no order, and people move pins by hand."""
    since = datetime.fromisoformat(intended["at"])
    left = since + timedelta(seconds=TOO_EARLY_SECONDS) - part.session.now()
    query, resembles = {"page_size": str(PAGE_LENGTH)}, False
    for _ in range(PAGES_MAX):
        response = await call(
            part.session, "GET", f"/v5/boards/{_board_of(part)}/pins", params=query, bytes_max=PAGE_BYTES_MAX
        )
        page = _Page(response.json(), _fields(part), since - timedelta(seconds=SKEW_SECONDS))
        if page.pin_id is not None:
            return {"id": page.pin_id}
        resembles |= page.resembles
        if page.bookmark is None:
            break
        query["bookmark"] = page.bookmark
    else:
        return OutcomeUnknown(message="The board has too many pins to be certain that this one is not among them.")
    if left > timedelta(0):
        message = "It is too early to tell whether Pinterest accepted the pin."
        return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())
    if resembles:
        return OutcomeUnknown(message="The board has a new pin that is similar, but not equal, to this one.")
    return None


class _Page:
    """What a page of pins tells about a pin that was created since an instant.

    `resembles`: one of them has its title or description, but Pinterest shows something else of it in another form.
    """

    def __init__(self, page: Any, fields: Mapping[str, Any], since: datetime) -> None:
        items = page.get("items") if isinstance(page, dict) else None
        if not isinstance(items, list):
            raise BadResponse("the response has no pins")
        self.bookmark, self.pin_id, self.resembles = string(page.get("bookmark")), None, False
        for pin in items:
            if not isinstance(pin, dict) or _created_at(pin) < since:
                continue
            same = {name for name in _TEXTS if _text_of(pin, name) == _text_of(fields, name)}
            if len(same) == len(_TEXTS):
                self.pin_id = string(pin.get("id"))
                return
            self.resembles |= any(_text_of(fields, name) for name in same & {"title", "description"})


def _text_of(pin: Mapping[str, Any], name: str) -> str:
    return str(pin.get(name) or "").strip()


def _created_at(pin: Mapping[str, Any]) -> datetime:
    """Return when a pin was created; Pinterest writes UTC without a zone."""
    try:
        instant = datetime.fromisoformat(str(pin.get("created_at")))
    except ValueError:
        raise BadResponse("a pin of the response has no time") from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


publish, poll, reconcile = in_parts(explain, find=_find, create=_create, published=_published)
