"""Sending messages: a post, and the parts of its thread below it. Deleting them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.discord.calls import (
    call_as_bot,
    call_message,
    call_webhook,
    code_of,
    explain,
    is_webhook,
    place_of,
    remote_id_of,
)
from signalpost.networks.connectors.discord.find import channel_of, find, nonce_of
from signalpost.networks.connectors.discord.message import body_of, message_of
from signalpost.networks.contract import (
    ApiError,
    NetworkSession,
    Outcome,
    Outgoing,
    Pending,
    Published,
    Response,
)
from signalpost.networks.in_parts import in_parts
from signalpost.networks.responses import members
from signalpost.networks.threads import PublicPart, ThreadPart

UPLOAD_SECONDS: Final = 200.0
WAIT_SECONDS_MAX: Final = 60.0
ANSWER_BYTES_MAX: Final = 1_000_000


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the messages, last first. One that does not exist counts as deleted; so does one whose thread is gone."""
    for message_id in (*reversed(thread_ids), remote_id):
        try:
            await call_message(session, "DELETE", message_id, expect=(204,))
        except ApiError as error:
            if code_of(error.response) not in {10008, 10003}:
                raise


def _published(session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    first, *rest = [str(part["id"]) for part in posted]
    guild, (channel, message_id) = session.facts.get("guildId"), place_of(session, first)
    url = f"https://discord.com/channels/{guild}/{channel}/{message_id}" if guild else None
    return Published(remote_id=first, url=url, thread_ids=tuple(rest))


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session = part.session
    if (seconds := _seconds_left(part)) > 0:  # Discord said that the next message would be too many
        return Pending(state={"part": part.index}, poll_after_seconds=seconds)
    message = message_of(part)
    await part.intend({"at": clock.wire(session.now())})
    response = await (_by_webhook(part, message) if is_webhook(session) else _by_bot(part, message))
    answer = members(response)
    nested = answer.get("message")  # of a bot's new post in a forum, whose answer is the thread
    if isinstance(nested, dict):
        answer = nested
    message_id, channel = answer.get("id"), answer.get("channel_id")
    if not _is_id(message_id) or not _is_id(channel):
        raise BadResponse("the response names no message", status=response.status)
    return {"id": remote_id_of(session, str(channel), str(message_id)), **_pause(session, response)}


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20


async def _by_webhook(part: ThreadPart, message: dict[str, Any]) -> Response:
    session, options, params = part.session, part.outgoing.options, {"wait": "true"}
    channel = channel_of(part)
    if channel != session.facts.get("channelId"):
        params["thread_id"] = channel
    elif part.index == 0 and options.get("threadName"):
        message["thread_name"] = options["threadName"]
        message |= {"applied_tags": options["appliedTags"]} if options.get("appliedTags") else {}
    return await call_webhook(
        session.server, session.remote_id, session.secrets["webhookToken"], "POST", "", params=params,
        timeout_seconds=UPLOAD_SECONDS, bytes_max=ANSWER_BYTES_MAX, **body_of(part, message),
    )  # fmt: skip


async def _by_bot(part: ThreadPart, message: dict[str, Any]) -> Response:
    options, token, channel = part.outgoing.options, part.session.secrets["botToken"], channel_of(part)
    if part.index == 0 and options.get("threadName"):
        payload: dict[str, Any] = {"name": options["threadName"], "message": message}
        payload |= {"applied_tags": options["appliedTags"]} if options.get("appliedTags") else {}
        path = f"/channels/{channel}/threads"
    else:
        payload = {**message, "nonce": nonce_of(part), "enforce_nonce": True}
        if part.parent is not None:
            parent = place_of(part.session, str(part.parent["id"]))[1]
            payload["message_reference"] = {"message_id": parent, "fail_if_not_exists": False}
        path = f"/channels/{channel}/messages"
    return await call_as_bot(
        part.session.server, token, "POST", path, timeout_seconds=UPLOAD_SECONDS, bytes_max=ANSWER_BYTES_MAX,
        expect=(200, 201), **body_of(part, payload),
    )  # fmt: skip


# --- the limit that Discord announces ------------------------------------------------------------------------------


def _pause(session: NetworkSession, response: Response) -> dict[str, str]:
    """Return until when no message may follow this one, if it was the last that Discord takes now."""
    if response.headers.get("X-RateLimit-Remaining") != "0":
        return {}
    try:
        seconds = min(float(response.headers.get("X-RateLimit-Reset-After") or ""), WAIT_SECONDS_MAX)
    except ValueError:
        return {}
    return {"until": clock.wire(session.now() + timedelta(seconds=seconds))} if seconds > 0 else {}


def _seconds_left(part: ThreadPart) -> float:
    until = (part.parent or {}).get("until")
    return 0 if until is None else (datetime.fromisoformat(until) - part.session.now()).total_seconds()


publish, poll, reconcile = in_parts(explain, find=find, create=_create, published=_published)
