"""Looking for messages whose answer was lost, among those of the user in the room."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.matrix.calls import call_api, room_path
from signalpost.networks.connectors.matrix.message import KEY, UPLOADED, bare_contents, count_of, key_of
from signalpost.networks.contract import NetworkSession, OutcomeUnknown, Response
from signalpost.networks.responses import members, single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored

REPEAT_SECONDS: Final = 600
"""So long at least, servers know a transaction of the same device: Synapse for a day, others for half an hour."""
ANSWERED_SECONDS: Final = 5  # Dendrite knows a transaction only once it has answered it
TOO_EARLY_SECONDS: Final = 60  # younger than this, a message of another device may still be on its way
SKEW_SECONDS: Final = 600  # between the clock of the homeserver and ours
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 20, 100, 10_000_000
ID_LENGTH_MAX: Final = 255
_TOO_EARLY: Final = "It is too early to tell whether the homeserver accepted the message."


def event_step(part: ThreadPart, number: int) -> str:
    """Return the step that has the id of a message of a part."""
    return f"event:{part.index}:{number}"


def sent_ids(part: ThreadPart) -> list[str | None]:
    """Return the ids of the messages of a part; None for one that is not known to be sent."""
    return [part.journal.steps.get(event_step(part, number)) for number in range(count_of(part))]


def public_part(part: ThreadPart, ids: Sequence[str]) -> PublicPart:
    """Return what is kept of a part: the ids of its messages, and the address of the first."""
    session = part.session
    _, _, domain = str(session.facts.get("userId")).partition(":")
    return {"id": ",".join(ids), "url": f"https://matrix.to/#/{session.facts.get('roomId')}/{ids[0]}?via={domain}"}


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for the messages of a part; None if it does no harm to send those that are missing."""
    at = datetime.fromisoformat(intended["at"])
    result = await _look(part, intended, at - timedelta(seconds=SKEW_SECONDS))
    if result is not None:
        return result
    if all(ids := [event_id or "" for event_id in sent_ids(part)]):
        return public_part(part, ids)
    age, device = part.session.now() - at, part.session.facts.get("deviceId")
    repeats = device and device == intended.get("device") and age < timedelta(seconds=REPEAT_SECONDS)
    left = timedelta(seconds=ANSWERED_SECONDS if repeats else TOO_EARLY_SECONDS) - age
    return OutcomeUnknown(message=_TOO_EARLY, tells_after_seconds=left.total_seconds()) if left > timedelta() else None


async def _look(part: ThreadPart, intended: Mapping[str, Any], since: datetime) -> OutcomeUnknown | None:
    """Walk through the user's messages, newest first, back to the intent; record those of the part."""
    missing = {number for number, event_id in enumerate(sent_ids(part)) if event_id is None}
    params = {
        "dir": "b", "limit": str(PAGE_LENGTH),
        "filter": json.dumps({"senders": [part.session.facts.get("userId")], "types": ["m.room.message"]}),
    }  # fmt: skip
    for _ in range(PAGES_MAX):
        answer = await _page(part.session, params)
        for event in _events(answer):
            if _sent_at(event) < since or not missing:
                return None
            number = next((at for at in sorted(missing) if _is_same(part, intended, event, at)), None)
            if number is not None:
                await part.journal.record(event_step(part, number), event["event_id"])
                missing.discard(number)
        end = string(members(answer).get("end"))
        if end is None or not missing:
            return None
        params["from"] = end
    return OutcomeUnknown(message="The user has sent too many messages since then to find this one.")


async def _page(session: NetworkSession, params: Mapping[str, str]) -> Response:
    return await call_api(session, f"GET {room_path(session)}/messages", params=params, bytes_max=PAGE_BYTES_MAX)


def _events(response: Response) -> Sequence[Mapping[str, Any]]:
    chunk: Any = members(response).get("chunk")
    if not isinstance(chunk, list) or not all(isinstance(event, dict) and is_event_id(event.get("event_id"))
                                              for event in chunk):  # fmt: skip
        raise BadResponse("the response is not a list of messages", status=response.status)
    return chunk


def is_event_id(value: Any) -> bool:
    """Whether a value is the id of an event, as one may stand in a list of them."""
    return isinstance(value, str) and value.startswith("$") and len(value) <= ID_LENGTH_MAX and "," not in value


def _sent_at(event: Mapping[str, Any]) -> datetime:
    at = event.get("origin_server_ts")
    if type(at) is not int or not 0 <= at < 1 << 47:
        raise BadResponse("a message of the response has no time")
    return datetime.fromtimestamp(at / 1000, UTC)


def _is_same(part: ThreadPart, intended: Mapping[str, Any], event: Mapping[str, Any], number: int) -> bool:
    """Ours has our key; after a restore, what the user sent with the same text counts."""
    content = event.get("content")
    if not isinstance(content, dict):
        return False
    if content.get(KEY) == key_of(part.outgoing.dedupe_key, part.index, number):
        return True
    if not is_restored(intended):
        return False
    used = {event_id for public in part.posted for event_id in public["id"].split(",")} | {*sent_ids(part)}
    files = [{"url": UPLOADED}] * len(part.content.media)
    ours = list(bare_contents(part.outgoing, part.index, files))[number]
    same = single_spaced(string(content.get("body")) or _long(content)) == single_spaced(ours["body"])
    return event["event_id"] not in used and content.get("msgtype") == ours["msgtype"] and same


def _long(content: Mapping[str, Any]) -> str:
    body = content.get("body")
    return body if isinstance(body, str) else ""
