"""Sending messages: those of a post, and the parts of its thread below them. Redacting them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import quote

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.matrix.calls import call_api, code_of, explain, room_path, segment
from signalpost.networks.connectors.matrix.find import event_step, find, is_event_id, public_part, sent_ids
from signalpost.networks.connectors.matrix.message import KEY, contents_of
from signalpost.networks.connectors.matrix.room import ENCRYPTED, is_encrypted
from signalpost.networks.contract import ApiError, NetworkSession, Outcome, OutgoingMedia, Refused
from signalpost.networks.in_parts import in_parts
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart

CALL_SECONDS: Final = 60.0
UPLOAD_SECONDS: Final = 200.0
FILES_SECONDS_MAX: Final = 86_400
"""A file that no message has shown for longer is uploaded again: the server may have removed it."""


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Redact the messages, last first. One that does not exist counts as deleted."""
    for event_id in reversed(",".join((remote_id, *thread_ids)).split(",")):
        call = f"PUT {room_path(session)}/redact/{segment(event_id)}/{segment(f'redact-{event_id}'[:200])}"
        try:
            await call_api(session, call, json={})
        except ApiError as error:
            if code_of(error.response) != "M_NOT_FOUND":
                raise


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    """Send what is missing of a part, each message by a transaction of its own."""
    session = part.session
    if await is_encrypted(session.server, session.secrets["accessToken"], str(session.facts.get("roomId"))):
        return Refused(code="destination_missing", message=ENCRYPTED)
    files = [await _file(part, number, media) for number, media in enumerate(part.content.media)]
    await part.intend({"at": clock.wire(session.now()), "device": session.facts.get("deviceId")})
    ids: list[str] = []
    for number, (content, event_id) in enumerate(zip(contents_of(part, files), sent_ids(part), strict=True)):
        if event_id is None:
            path = f"{room_path(session)}/send/m.room.message/{content[KEY]}"
            response = await call_api(session, f"PUT {path}", json=content, timeout_seconds=CALL_SECONDS)
            event_id = members(response).get("event_id")  # noqa: PLW2901 - now it has one
            if not is_event_id(event_id):
                raise BadResponse("the response names no event", status=response.status)
            await part.journal.record(event_step(part, number), event_id)
        ids.append(str(event_id))
    return public_part(part, ids)


async def _file(part: ThreadPart, number: int, media: OutgoingMedia) -> dict[str, str]:
    """Return where a file is at the homeserver, with its thumbnail, uploading what is missing."""
    addresses = {"url": await _uploaded(part, f"file:{part.index}:{number}", media)}
    if media.thumbnail is not None:
        addresses["thumbnail"] = await _uploaded(part, f"thumbnail:{part.index}:{number}", media.thumbnail)
    return addresses


async def _uploaded(part: ThreadPart, step: str, media: OutgoingMedia) -> str:
    earlier = part.journal.steps.get(step)
    if earlier is not None:
        age = part.session.now() - datetime.fromisoformat(earlier["at"])
        if age < timedelta(seconds=FILES_SECONDS_MAX):
            return str(earlier["url"])
    response = await call_api(
        part.session, f"POST /_matrix/media/v3/upload?filename={quote(media.file_name, safe='')}",
        headers={"Content-Type": media.mime_type, "Content-Length": str(media.size_bytes)}, data=media.read(),
        timeout_seconds=UPLOAD_SECONDS,
    )  # fmt: skip
    url = string(members(response).get("content_uri"))
    if url is None or not url.startswith("mxc://"):
        raise BadResponse("the response has no address for the file", status=response.status)
    await part.journal.record(step, {"url": url, "at": clock.wire(part.session.now())})
    return url


publish, _, reconcile = in_parts(explain, find=find, create=_create)
