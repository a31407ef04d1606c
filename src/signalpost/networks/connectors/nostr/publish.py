"""Sending notes: a post, and the parts of its thread as replies. Asking relays to delete them."""

from collections.abc import Sequence

from signalpost.kit import clock
from signalpost.networks.connectors.nostr.events import DELETION, NOTE, signed
from signalpost.networks.connectors.nostr.find import find, public_part
from signalpost.networks.connectors.nostr.media import file_url
from signalpost.networks.connectors.nostr.note import content_of, tags_of
from signalpost.networks.connectors.nostr.relays import explain, send_to_all
from signalpost.networks.contract import NetworkSession, Outcome
from signalpost.networks.in_parts import in_parts
from signalpost.networks.threads import PublicPart, ThreadPart


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Ask the relays to delete the notes (NIP-09); done once one of them takes the request."""
    tags = [["e", event_id] for event_id in (remote_id, *thread_ids)]
    key, at = session.secrets["privateKey"], int(session.now().timestamp())
    await send_to_all(session, signed(key, at, DELETION, [*tags, ["k", str(NOTE)]], ""))


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    """Send a note to all relays. Its time is kept, so each attempt makes the same note, with the same id."""
    session, outgoing = part.session, part.outgoing
    urls = [await file_url(part, number, media) for number, media in enumerate(part.content.media)]
    step = f"time:{part.index}"
    at = part.journal.steps.get(step)
    if type(at) is not int:
        at = int(session.now().timestamp())
        await part.journal.record(step, at)
    tags = tags_of(outgoing, part.index, urls, part.posted, session.remote_id)
    event = signed(session.secrets["privateKey"], at, NOTE, tags, content_of(outgoing, part.index, urls))
    await part.intend({"at": clock.wire(session.now()), "note": event["id"]})
    accepted, refused = await send_to_all(session, event)
    return public_part(part, event["id"], accepted[0], refused)


publish, _, reconcile = in_parts(explain, find=find, create=_create)
