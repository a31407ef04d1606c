"""Sending messages and deleting them. What became of a call without an answer, nobody can ask."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.telegram.calls import ID_MAX, call_in_chat, description, explain
from signalpost.networks.connectors.telegram.message import message_of
from signalpost.networks.contract import (
    ApiError,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
)
from signalpost.networks.in_parts import in_parts
from signalpost.networks.threads import PublicPart, ThreadPart

_LOOK = "Telegram does not tell a bot which messages a chat has. Look there whether the post is public."
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,31}")


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the messages, last first. One that does not exist counts as deleted."""
    for message_id in reversed([id_ for ids in (remote_id, *thread_ids) for id_ in ids.split(",")]):

        def request(chat_id: str, message_id: int = int(message_id)) -> Mapping[str, Any]:
            return {"json": {"chat_id": chat_id, "message_id": message_id}}

        try:
            await call_in_chat(session, "deleteMessage", request)
        except ApiError as error:
            if error.response.status != 400 or "message to delete not found" not in description(error.response):
                raise


async def _find(_part: ThreadPart, _intended: Mapping[str, Any]) -> OutcomeUnknown:
    return OutcomeUnknown(message=_LOOK)


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    message = message_of(part)
    await part.intend({"at": clock.wire(part.session.now())})
    result = await call_in_chat(part.session, message.method, message.request, timeout_seconds=message.seconds)
    messages = result if isinstance(result, list) else [result]
    ids = [_message_id(sent) for sent in messages]
    if not ids:
        raise BadResponse("the response names no message")
    return {"id": ",".join(map(str, ids)), "url": _url(messages[0], ids[0], part.outgoing.options.get("topicId"))}


def _message_id(message: Any) -> int:
    message_id = message.get("message_id") if isinstance(message, dict) else None
    if type(message_id) is not int or not 0 < message_id < ID_MAX:
        raise BadResponse("the response names no message")
    return message_id


def _url(message: Mapping[str, Any], message_id: int, topic: int | None) -> str | None:
    """Return the address of a message; messages of groups that are no supergroups have none."""
    chat = message.get("chat")
    if not isinstance(chat, dict):
        return None
    name, chat_id = chat.get("username"), str(chat.get("id"))
    if isinstance(name, str) and _NAME.fullmatch(name):
        place = name
    elif re.fullmatch(r"-100[0-9]{1,15}", chat_id):
        place = f"c/{chat_id.removeprefix('-100')}"
    else:
        return None
    return f"https://t.me/{place}/{message_id}" + (f"?thread={topic}" if topic is not None else "")


publish, _, reconcile = in_parts(explain, find=_find, create=_create)
