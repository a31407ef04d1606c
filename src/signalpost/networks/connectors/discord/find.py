"""Looking for a bot's message whose answer was lost. Messages of webhooks are listed nowhere."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.discord.account import permissions_of
from signalpost.networks.connectors.discord.calls import call_as_bot, is_webhook, place_of, remote_id_of
from signalpost.networks.connectors.discord.facts import FACTS
from signalpost.networks.connectors.discord.permissions import HISTORY
from signalpost.networks.contract import OutcomeUnknown, Response
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart

TOO_EARLY_SECONDS: Final = 30  # younger than this, a missing message may still be on its way
SKEW_SECONDS: Final = 30  # between Discord's clock and ours
PAGES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 20, 100, 5_000_000
_EPOCH: Final = datetime(2015, 1, 1, tzinfo=UTC)
_NOT_LISTED: Final = (
    "Discord did not answer, and does not list the messages of a webhook. Look into the channel whether it is there."
)


def channel_of(part: ThreadPart) -> str:
    """Return where a part goes: where those before it are, to the thread that is named, or to the account's channel."""
    if part.parent is not None:
        return place_of(part.session, str(part.parent["id"]))[0]
    return str(part.outgoing.options.get("threadId") or part.session.facts.get("channelId"))


def nonce_of(part: ThreadPart) -> str:
    """Return the nonce of a part: the same at every attempt."""
    return hashlib.sha256(f"{part.outgoing.dedupe_key}:{part.index}".encode()).hexdigest()[:25]


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended message; None when it is certainly not there."""
    if is_webhook(part.session):
        return OutcomeUnknown(message=_NOT_LISTED)
    at = datetime.fromisoformat(intended["at"])
    since = _first_id(at - timedelta(seconds=SKEW_SECONDS))
    if part.index == 0 and part.outgoing.options.get("threadName"):
        result: PublicPart | OutcomeUnknown | None = await _thread(part, since)
    else:
        result = await _message(part, since)
    left = at + timedelta(seconds=TOO_EARLY_SECONDS) - part.session.now()
    if result is None and left > timedelta(0):
        message = "It is too early to tell whether Discord accepted the message."
        return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())
    return result


def _first_id(instant: datetime) -> int:
    """Return the smallest id that Discord gives at an instant."""
    return max(int((instant - _EPOCH) / timedelta(milliseconds=1)), 0) << 22


async def _message(part: ThreadPart, since: int) -> PublicPart | OutcomeUnknown | None:
    """Walk through the messages of the channel since the intent, the oldest first."""
    session, channel, after, seen = part.session, channel_of(part), since, False
    for _ in range(PAGES_MAX):
        response = await call_as_bot(
            session.server, session.secrets["botToken"], "GET", f"/channels/{channel}/messages",
            params={"limit": str(PAGE_LENGTH), "after": str(after)}, bytes_max=PAGE_BYTES_MAX,
        )  # fmt: skip
        listed = _listed(response.json(), response)
        for message in listed:
            if _is_same(part, message):
                return {"id": remote_id_of(session, channel, str(message["id"]))}
        seen |= bool(listed)
        if len(listed) < PAGE_LENGTH:
            break
        after = max(int(message["id"]) for message in listed)
    else:
        return OutcomeUnknown(message="Too many messages followed to find this one.")
    # Without the permission to read the history the list is empty, whatever is there.
    if not seen and not (await permissions_of(session, channel))[0] & HISTORY:
        return OutcomeUnknown(
            message="The bot may not read the message history, so it cannot look whether the message is there."
        )
    return None


def _listed(value: Any, response: Response) -> Sequence[Mapping[str, Any]]:
    items: list[Any] = value if isinstance(value, list) else [None]
    if not all(isinstance(item, dict) and _is_id(item.get("id")) for item in items):
        raise BadResponse("the response is not a list of messages", status=response.status)
    return items


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20


def _is_same(part: ThreadPart, message: Mapping[str, Any]) -> bool:
    author, nonce = message.get("author"), message.get("nonce")
    if not isinstance(author, dict) or author.get("id") != part.session.remote_id.partition("@")[0]:
        return False
    if nonce is not None:
        return str(nonce) == nonce_of(part)
    files, reference = message.get("attachments"), message.get("message_reference")
    parent = None if part.parent is None else place_of(part.session, str(part.parent["id"]))[1]
    return (
        isinstance(files, list)
        and len(files) == len(part.content.media)
        and (reference.get("message_id") if isinstance(reference, dict) else None) == parent
        and single_spaced(string(message.get("content")))
        == single_spaced(text_of_part(FACTS, part.outgoing, part.index))
    )


async def _thread(part: ThreadPart, since: int) -> PublicPart | None:
    """Look for the bot's new thread of a forum; its first message has the id of the thread."""
    session, options, channel = part.session, part.outgoing.options, channel_of(part)
    response = await call_as_bot(
        session.server, session.secrets["botToken"], "GET", f"/guilds/{session.facts.get('guildId')}/threads/active",
        bytes_max=PAGE_BYTES_MAX,
    )  # fmt: skip
    for thread in _listed(members(response).get("threads"), response):
        is_own = thread.get("owner_id") == session.remote_id.partition("@")[0] and thread.get("parent_id") == channel
        if is_own and thread.get("name") == options["threadName"] and int(thread["id"]) >= since:
            return {"id": remote_id_of(session, str(thread["id"]), str(thread["id"]))}
    return None
