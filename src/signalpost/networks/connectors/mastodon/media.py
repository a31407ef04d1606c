"""Uploading the media of a post; servers may take their time to convert them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from signalpost.kit import clock
from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.mastodon.calls import call
from signalpost.networks.contract import Journal, NetworkSession, OutgoingMedia, Pending
from signalpost.networks.responses import texts
from signalpost.networks.threads import ThreadPart

MEDIA_SECONDS_MAX = 43_200  # servers drop files that stay unused for a day
UPLOAD_SECONDS = 120.0
POLL_SECONDS = 5.0


async def media_ids_of(part: ThreadPart) -> list[str] | Pending:
    """Return the ids of a part's files, uploading what is missing; Pending while the server still converts one."""
    ids: list[str] = []
    ready = True
    for number, media in enumerate(part.content.media):
        step = f"media:{part.index}:{number}"
        upload = await _uploaded(part.session, part.journal, step)
        if upload is None:
            upload = await _upload(part.session, media, part.journal, step)
        ready &= upload["ready"]
        ids.append(upload["id"])
    return ids if ready else Pending(state={"part": part.index}, poll_after_seconds=POLL_SECONDS)


async def _uploaded(session: NetworkSession, journal: Journal, step: str) -> Mapping[str, Any] | None:
    """Return an earlier upload, with whether it is ready by now; None when the file has to be uploaded again."""
    upload: Mapping[str, Any] | None = journal.steps.get(step)
    if upload is None or session.now() - datetime.fromisoformat(upload["at"]) > timedelta(seconds=MEDIA_SECONDS_MAX):
        return None
    if upload["ready"]:
        return upload
    response = await call(session, "GET", f"/api/v1/media/{upload['id']}", expect=(200, 206, 404))
    if response.status == 404:
        return None
    if response.status == 200:
        upload = {**upload, "ready": True}
        await journal.record(step, upload)
    return upload


async def _upload(session: NetworkSession, media: OutgoingMedia, journal: Journal, step: str) -> Mapping[str, Any]:
    file = FormPart("file", media.read(), filename=media.file_name, content_type=media.mime_type, size=media.size_bytes)
    form = [file, FormPart("description", media.alt_text)] if media.alt_text else [file]
    response = await call(
        session, "POST", "/api/v2/media", data=form, timeout_seconds=UPLOAD_SECONDS, expect=(200, 202)
    )
    (media_id,) = texts(response, "id")
    upload = {"id": media_id, "ready": response.status == 200, "at": clock.wire(session.now())}
    await journal.record(step, upload)
    return upload
