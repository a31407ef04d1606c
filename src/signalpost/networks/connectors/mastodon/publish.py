"""Creating statuses under a key that the server remembers for an hour, and deleting them."""

import hashlib
from collections.abc import Sequence
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
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Pending,
    Refused,
    TryLater,
)
from signalpost.networks.in_parts import in_parts
from signalpost.networks.outcome_mapping import failure_outcome
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string, texts
from signalpost.networks.threads import PublicPart, ThreadPart


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the posts, last first. One that does not exist counts as deleted."""
    for status_id in (*reversed(thread_ids), remote_id):
        await call(session, "DELETE", f"/api/v1/statuses/{status_id}", expect=(200, 404))


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
    if (elsewhere := _quotes_elsewhere(part)) is not None:
        return elsewhere
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


def _quotes_elsewhere(part: ThreadPart) -> Refused | None:
    """Refuse the address of a post on another server: the number in it means another post here."""
    address = str(part.outgoing.options.get("quoteId") or "")
    if part.index > 0 or "/" not in address or address.startswith(f"{part.session.server.base_url}/"):
        return None
    return Refused(
        code="content_rejected",
        message=f"The post to quote is not named by an address of {part.session.server.base_url}.",
        remediation="Find the post on the account's own server and take the address that your browser shows there.",
    )


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
        "quotePolicy": "quote_approval_policy",
    }
    status |= {name: options[option] for option, name in names.items() if option in options}
    if part.index == 0 and options.get("quoteId") is not None:
        status["quoted_status_id"] = options["quoteId"].rpartition("/")[2]
    if part.index == 0 and options.get("poll") is not None:
        poll = msgspec.convert(options["poll"], Poll)
        status["poll"] = {
            "options": poll.options,
            "expires_in": poll.minutes * 60,
            "multiple": poll.multiple,
            "hide_totals": poll.hide_totals,
        }
    return status


publish, poll, reconcile = in_parts(explain, find=find, create=_create)
