"""Sending messages: a post, and the parts of its thread below it. Deleting them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.slack.calls import call, call_webhook, code_of, explain, is_webhook
from signalpost.networks.connectors.slack.find import find, is_ts, look, public_part, shared_step
from signalpost.networks.connectors.slack.message import EVENT, key_of, message_of, text_of, thread_of
from signalpost.networks.contract import (
    ApiError,
    NetworkSession,
    Outcome,
    OutgoingMedia,
    Pending,
)
from signalpost.networks.in_parts import in_parts
from signalpost.networks.responses import string
from signalpost.networks.threads import PublicPart, ThreadPart

CALL_SECONDS: Final = 60.0
UPLOAD_SECONDS: Final = 200.0
PAUSE_SECONDS: Final = 1.2
"""Slack takes one message a second in a channel; each may be on its way for a moment."""
SHOWN_SECONDS: Final = 3.0
FILES_SECONDS_MAX: Final = 1_800
"""An upload that nobody shared for longer is made again."""
_WEBHOOK_ID: Final = "webhook:"


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the messages of a bot, last first. One that does not exist counts as deleted.

    Raises:
        BadResponse: the account is a webhook, which deletes nothing.
    """
    if is_webhook(session):
        raise BadResponse("Slack lets a webhook delete nothing. Delete the message in Slack.")
    for ts in (*reversed(thread_ids), remote_id):
        body = {"channel": str(session.facts.get("channelId")), "ts": ts}
        try:
            await call(session.server, session.secrets["botToken"], "POST chat.delete", json=body)
        except ApiError as error:
            if code_of(error.response) != "message_not_found":
                raise


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    if (seconds := _seconds_left(part)) > 0:
        return Pending(state={"part": part.index}, poll_after_seconds=seconds)
    if is_webhook(part.session):
        return await _by_webhook(part)
    return await (_with_files(part) if part.content.media else _by_bot(part))


def _seconds_left(part: ThreadPart) -> float:
    """Return how long after the message before this one has to wait."""
    if part.parent is None:
        return 0
    at = datetime.fromisoformat(part.parent["at"])
    return (at + timedelta(seconds=PAUSE_SECONDS) - part.session.now()).total_seconds()


async def _by_webhook(part: ThreadPart) -> PublicPart:
    """Send a message of which Slack says nothing but that it took it."""
    session, named = part.session, part.outgoing.options.get("threadTs")
    message = message_of(part, str(named) if named else None)
    await part.intend({"at": clock.wire(session.now())})
    response = await call_webhook(session.server, session.remote_id, session.secrets["webhookToken"], message)
    if response.body.strip() != b"ok":
        raise BadResponse("the webhook did not say that it took the message", status=response.status)
    return {"id": f"{_WEBHOOK_ID}{key_of(part)}"}


async def _by_bot(part: ThreadPart) -> PublicPart:
    session = part.session
    message = {
        "channel": str(session.facts.get("channelId")), **message_of(part, thread_of(part)),
        "metadata": {"event_type": EVENT, "event_payload": {"key": key_of(part)}},
    }  # fmt: skip
    await part.intend({"at": clock.wire(session.now())})
    answer = await call(
        session.server, session.secrets["botToken"], "POST chat.postMessage", json=message,
        timeout_seconds=CALL_SECONDS,
    )  # fmt: skip
    if not is_ts(answer.get("ts")):
        raise BadResponse("the response names no message")
    return await public_part(part, str(answer["ts"]))


# --- files ---------------------------------------------------------------------------------------------------------


async def _with_files(part: ThreadPart) -> PublicPart | Pending:
    """Upload the files and have them shown together. Which message that makes, only the channel tells, and later."""
    session, thread = part.session, thread_of(part)
    files = await _uploaded(part)
    body: dict[str, Any] = {
        "channel_id": str(session.facts.get("channelId")),
        "files": [{"id": id_, "title": media.file_name} for id_, media in zip(files, part.content.media, strict=True)],
    }
    body |= {"initial_comment": text} if (text := text_of(part)) else {}
    body |= {"thread_ts": thread} if thread is not None else {}
    intended = {"at": clock.wire(session.now()), "files": files}
    await part.intend(intended)
    await call(
        session.server, session.secrets["botToken"], "POST files.completeUploadExternal", json=body,
        timeout_seconds=CALL_SECONDS,
    )  # fmt: skip
    await part.journal.record(shared_step(part), {"files": files})
    waiting = Pending(state={"part": part.index}, poll_after_seconds=SHOWN_SECONDS)
    try:
        ts = await look(part, intended)
    except (ApiError, HttpFailure):  # the message is public, whatever becomes of this look for it
        return waiting
    return await public_part(part, ts) if isinstance(ts, str) else waiting


async def _uploaded(part: ThreadPart) -> list[str]:
    """Return the ids of the files, uploading what is missing. What was shared before, or too long ago, is not taken."""
    ids = []
    for index, media in enumerate(part.content.media):
        step = f"file:{part.index}:{index}"
        earlier = part.journal.steps.get(step)
        is_young = earlier is not None and part.session.now() - datetime.fromisoformat(earlier["at"]) < timedelta(
            seconds=FILES_SECONDS_MAX
        )
        if earlier is None or not is_young or part.intended is not None:
            earlier = {"id": await _upload(part.session, media), "at": clock.wire(part.session.now())}
            await part.journal.record(step, earlier)
        ids.append(str(earlier["id"]))
    return ids


async def _upload(session: NetworkSession, media: OutgoingMedia) -> str:
    params = {"filename": media.file_name, "length": str(media.size_bytes)}
    params |= {"alt_txt": media.alt_text} if media.alt_text else {}
    answer = await call(session.server, session.secrets["botToken"], "GET files.getUploadURLExternal", params=params)
    url, file_id = string(answer.get("upload_url")), string(answer.get("file_id"))
    if url is None or file_id is None or not url.startswith(("https://", session.server.base_url)):
        raise BadResponse("the response has no address for the file")
    form = [FormPart("file", media.read(), media.file_name, media.mime_type, media.size_bytes)]
    await session.server.call("POST", url, data=form, timeout_seconds=UPLOAD_SECONDS)
    return file_id


publish, poll, reconcile = in_parts(explain, find=find, create=_create)
