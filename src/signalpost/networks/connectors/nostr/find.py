"""Looking for notes whose answer was lost: by their id, which is made before they are sent."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from signalpost.kit.http import HttpFailure
from signalpost.networks.connectors.nostr.events import NOTE, values
from signalpost.networks.connectors.nostr.note import content_of, url_of
from signalpost.networks.connectors.nostr.relays import ask, relays_of
from signalpost.networks.contract import ApiError, OutcomeUnknown
from signalpost.networks.responses import single_spaced
from signalpost.networks.threads import PublicPart, ThreadPart

SKEW_SECONDS: Final = 600
NOTES_MAX: Final = 100
_SILENT: Final = "None of the account's relays said whether it has the note."
_MANY: Final = "The account has sent too many notes since then to find this one."


def public_part(part: ThreadPart, event_id: str, relay: str, refused: Mapping[str, str] = {}) -> PublicPart:
    """Return what is kept of a part: its note, a relay that has it, and why others do not."""
    url = url_of(event_id, part.session.remote_id, relay)
    return {"id": event_id, "url": url, "relay": relay, **({"refused": dict(refused)} if refused else {})}


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Ask the relays for the note; None if one answers and none has it, since sending it again makes no second one."""
    answered = many = False
    for relay in relays_of(part.session):
        try:
            result = await _look(part, intended, relay)
        except (ApiError, HttpFailure):
            continue
        if isinstance(result, str):
            return public_part(part, result, relay)
        answered, many = True, many or result is not None
    if many:
        return OutcomeUnknown(message=_MANY)
    return None if answered else OutcomeUnknown(message=_SILENT)


async def _look(part: ThreadPart, intended: Mapping[str, Any], relay: str) -> str | OutcomeUnknown | None:
    session, note = part.session, intended.get("note")
    if isinstance(note, str):
        events = await ask(session.server, relay, session.remote_id, ids=[note], kinds=[NOTE], limit=1)
        return next((event["id"] for event in events if event["id"] == note), None)
    since = int(datetime.fromisoformat(intended["at"]).timestamp()) - SKEW_SECONDS
    events = await ask(session.server, relay, session.remote_id, kinds=[NOTE], since=since, limit=NOTES_MAX)
    used = {public["id"] for public in part.posted}
    same = [event["id"] for event in reversed(events) if event["id"] not in used and _is_same(part, event)]
    if not same and len(events) >= NOTES_MAX:
        return OutcomeUnknown(message=_MANY)
    return same[0] if same else None


def _is_same(part: ThreadPart, event: Mapping[str, Any]) -> bool:
    """After a restore, what the key signed with the same text and as many files counts."""
    urls = [item[4:] for tag in values(event, "imeta") for item in tag if item.startswith("url ")]
    if len(urls) != len(part.content.media):
        return False
    return single_spaced(content_of(part.outgoing, part.index, urls)) == single_spaced(event["content"])
