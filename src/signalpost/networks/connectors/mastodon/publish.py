"""Creating statuses under a key that the server remembers for an hour, and deleting them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from signalpost.kit import clock
from signalpost.kit.http import HttpFailure
from signalpost.networks.connectors.mastodon.calls import CREATE, call, explain
from signalpost.networks.connectors.mastodon.facts import FACTS, Poll
from signalpost.networks.connectors.mastodon.find import find, resend_is_safe
from signalpost.networks.connectors.mastodon.media import media_ids_of
from signalpost.networks.contract import (
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Pending,
    Published,
    Reconciled,
    TryLater,
)
from signalpost.networks.outcome_mapping import failure_outcome, map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string, texts
from signalpost.networks.threads import PublicPart, ThreadPart, publish_parts, reconcile_parts


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Create each post of the thread under an idempotency key of its own."""
    return await publish_parts(session, outgoing, journal, find=find, create=_create, published=_published)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Continue when the server has converted the media; the journal holds what is still missing."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Find out whether the intended posts are there, or can be sent again under their keys without harm."""
    return await reconcile_parts(session, outgoing, journal, find=find, published=_published)


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the posts, last first. One that does not exist counts as deleted."""
    for status_id in (*reversed(thread_ids), remote_id):
        await call(session, "DELETE", f"/api/v1/statuses/{status_id}", expect=(200, 404))


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    first = posted[0]
    return Published(remote_id=first["id"], url=first.get("url"), thread_ids=tuple(part["id"] for part in posted[1:]))


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    if part.intended is None:
        return await _send(part)
    # The outcome of an earlier call is open: only a success of this one settles it, no failure does.
    try:
        outcome = await _send(part)
    except ApiError as error:
        outcome = explain(error)
    except HttpFailure as failure:
        outcome = failure_outcome(failure, creating=True)
    if isinstance(outcome, TryLater):
        return OutcomeUnknown(message=outcome.message, http_status=outcome.http_status, response=outcome.response)
    return outcome


async def _send(part: ThreadPart) -> PublicPart | Outcome:
    session = part.session
    media_ids = await media_ids_of(part)
    if isinstance(media_ids, Pending):
        return media_ids
    if part.intended is not None and resend_is_safe(session, part.intended):
        await part.intend(part.intended)
    else:  # the first call, or the post was proved to be absent: the hour of the key starts now
        await part.intend({"at": clock.wire(session.now())})
    response = await call(
        session,
        "POST",
        CREATE.removeprefix("POST "),
        headers={"Idempotency-Key": _key(part.outgoing, part.index)},
        json=_status(part, media_ids),
    )
    (status_id,) = texts(response, "id")
    status = members(response)
    return {"id": status_id, "url": string(status.get("url")) or string(status.get("uri"))}


def _key(outgoing: Outgoing, index: int) -> str:
    return hashlib.sha256(f"{outgoing.dedupe_key}:{index}".encode()).hexdigest()[:40]


def _status(part: ThreadPart, media_ids: Sequence[str]) -> dict[str, Any]:
    options = part.outgoing.options
    status: dict[str, Any] = {"status": text_of_part(FACTS, part.outgoing, part.index)}
    if media_ids:
        status["media_ids"] = list(media_ids)
    if part.parent is not None:
        status["in_reply_to_id"] = part.parent["id"]
    names = {
        "visibility": "visibility",
        "spoilerText": "spoiler_text",
        "sensitive": "sensitive",
        "language": "language",
    }
    status |= {name: options[option] for option, name in names.items() if option in options}
    if part.index == 0 and options.get("poll") is not None:
        poll = msgspec.convert(options["poll"], Poll)
        status["poll"] = {
            "options": poll.options,
            "expires_in": poll.minutes * 60,
            "multiple": poll.multiple,
            "hide_totals": poll.hide_totals,
        }
    return status
