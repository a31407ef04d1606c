"""Looking for a bot's message whose answer was lost. Messages of webhooks are listed nowhere."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.networks.connectors.slack.calls import call, is_webhook
from signalpost.networks.connectors.slack.message import EVENT, key_of, text_of, thread_of
from signalpost.networks.contract import ApiError, NetworkSession, OutcomeUnknown
from signalpost.networks.responses import single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored

TOO_EARLY_SECONDS: Final = 30  # younger than this, a missing message may still be on its way
FILES_SECONDS: Final = 300  # the same for files, which Slack examines before it shows them
SKEW_SECONDS: Final = 30  # between Slack's clock and ours
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 20, 100, 5_000_000
_TS: Final = re.compile(r"[0-9]{1,12}\.[0-9]{1,6}")
_NOT_LISTED: Final = (
    "Slack did not answer, and does not list the messages of a webhook. Look into the channel whether it is there."
)
_NO_HISTORY: Final = (
    "Slack did not answer, and the app may not read the channel (channels:history), so it cannot look whether the "
    "message is there. Look into the channel."
)
_NOT_SHOWN: Final = "Slack accepted the files, but the channel does not show them yet. Look into the channel."


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended message; None when it is certainly not there."""
    if is_webhook(part.session):
        return OutcomeUnknown(message=_NOT_LISTED)
    if not part.session.facts.get("history"):
        return OutcomeUnknown(message=_NO_HISTORY)
    at = datetime.fromisoformat(intended["at"])
    result = await look(part, intended)
    if isinstance(result, str):
        return await public_part(part, result)
    if result is not None:
        return result
    seconds = FILES_SECONDS if part.content.media else TOO_EARLY_SECONDS
    left = (at + timedelta(seconds=seconds) - part.session.now()).total_seconds()
    if left > 0:
        message = "It is too early to tell whether Slack accepted the message."
        return OutcomeUnknown(message=message, tells_after_seconds=left)
    return OutcomeUnknown(message=_NOT_SHOWN) if shared_step(part) in part.journal.steps else None


def shared_step(part: ThreadPart) -> str:
    """Return the step that says that Slack accepted to show the files of a part."""
    return f"shared:{part.index}"


async def public_part(part: ThreadPart, ts: str) -> PublicPart:
    """Return what is kept of a message: its timestamp, which is its id, and the address of the first one."""
    return {"id": ts} if part.index > 0 else {"id": ts, "url": await _permalink(part.session, ts)}


async def _permalink(session: NetworkSession, ts: str) -> str | None:
    """Ask for the address of a message. A post without one is public all the same."""
    params = {"channel": str(session.facts.get("channelId")), "message_ts": ts}
    try:
        answer = await call(session.server, session.secrets["botToken"], "GET chat.getPermalink", params=params)
    except (ApiError, HttpFailure):
        return None
    return string(answer.get("permalink"))


async def look(part: ThreadPart, intended: Mapping[str, Any]) -> str | OutcomeUnknown | None:
    """Walk through the messages of the channel, or of the thread, since the intent; return the timestamp of ours."""
    session, thread = part.session, thread_of(part)
    since = datetime.fromisoformat(intended["at"]) - timedelta(seconds=SKEW_SECONDS)
    params = {
        "channel": str(session.facts.get("channelId")), "oldest": f"{since.timestamp():.6f}",
        "limit": str(PAGE_LENGTH), "include_all_metadata": "true",
    }  # fmt: skip
    method = "GET conversations.history"
    if thread is not None:  # the history of a channel shows no replies
        method, params["ts"] = "GET conversations.replies", thread
    for _ in range(PAGES_MAX):
        answer = await call(
            session.server, session.secrets["botToken"], method, params=params, bytes_max=PAGE_BYTES_MAX
        )
        for message in _listed(answer.get("messages")):
            if message["ts"] != thread and _is_same(part, intended, message):
                return str(message["ts"])
        metadata = answer.get("response_metadata")
        cursor = string(metadata.get("next_cursor")) if isinstance(metadata, dict) else None
        if cursor is None:
            return None
        params["cursor"] = cursor
    return OutcomeUnknown(message="Too many messages followed to find this one.")


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    items: list[Any] = value if isinstance(value, list) else [None]
    if not all(isinstance(item, dict) and is_ts(item.get("ts")) for item in items):
        raise BadResponse("the response is not a list of messages")
    return items


def is_ts(value: Any) -> bool:
    """Return whether a value is the timestamp of a message."""
    return isinstance(value, str) and _TS.fullmatch(value) is not None


def _is_same(part: ThreadPart, intended: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    """Ours has our key, or files that we uploaded; after a restore, what the bot sent with the same text counts."""
    files = message.get("files")
    file_ids = {file.get("id") for file in files if isinstance(file, dict)} if isinstance(files, list) else set()
    if is_restored(intended):
        is_own = message.get("user") == part.session.facts.get("botUserId")
        is_new = message["ts"] not in {public["id"] for public in part.posted}
        same = _comparable(string(message.get("text"))) == _comparable(text_of(part))
        return is_own and is_new and same and len(file_ids) == len(part.content.media)
    if part.content.media:
        return not file_ids.isdisjoint(intended.get("files") or ())
    metadata = message.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("event_type") != EVENT:
        return False
    payload = metadata.get("event_payload")
    return isinstance(payload, dict) and payload.get("key") == key_of(part)


def _comparable(text: str | None) -> str:
    """Return a text without the brackets that Slack puts around addresses."""
    return single_spaced((text or "").replace("<", "").replace(">", ""))
