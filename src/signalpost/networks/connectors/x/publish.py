"""Creating posts as a chain of replies, and deleting them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.x.calls import CREATE, call, explain, refresh
from signalpost.networks.connectors.x.facts import FACTS, Poll
from signalpost.networks.connectors.x.find import find_post
from signalpost.networks.connectors.x.media import media_ids_of
from signalpost.networks.contract import (
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Published,
    Reconciled,
    Refused,
)
from signalpost.networks.first_comment import add_first_comment, until_commented
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart, publish_parts, reconcile_parts

_OPTIONS = {
    "quoteId": "quote_tweet_id",
    "communityId": "community_id",
    "madeWithAi": "made_with_ai",
    "paidPartnership": "paid_partnership",
}


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Create each post as a reply to the one before, and then the first comment."""
    outcome = await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    last_id = (outcome.remote_id, *outcome.thread_ids)[-1]

    async def send(text: str) -> str:
        return await _post(session, {"text": text, "reply": {"in_reply_to_tweet_id": last_id}})

    return await add_first_comment(outcome, outgoing, journal, send=send, explain=explain)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Continue when X has converted the media; the journal holds what is still missing."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Look for the intended posts among those of the account."""
    reconciled = await reconcile_parts(session, outgoing, journal, find=_find, published=_published)
    return until_commented(reconciled, outgoing, journal)


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the posts, last first. One that does not exist counts as deleted."""
    for post_id in (*reversed(thread_ids), remote_id):
        await call(session, "DELETE", f"/2/tweets/{post_id}", expect=(200, 404))


def _published(session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    first, *rest = [part["id"] for part in posted]
    return Published(
        remote_id=first, url=f"https://x.com/{session.username}/status/{first}", thread_ids=tuple(rest)
    )  # fmt: skip


def _parent_id(part: ThreadPart) -> str | None:
    if part.parent is not None:
        return str(part.parent["id"])
    return part.outgoing.options.get("replyToId")


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    result = await find_post(
        part.session,
        intended,
        text=text_of_part(FACTS, part.outgoing, part.index),
        media_count=len(part.content.media),
        parent_id=_parent_id(part),
    )
    return {"id": result} if isinstance(result, str) else result


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session = part.session
    media_ids = await media_ids_of(part)
    if not isinstance(media_ids, list):
        return media_ids
    if oauth2.is_due(session):  # before the intent: a token that cannot be renewed leaves nothing unknown
        await session.renew(refresh)
    await part.intend({"at": clock.wire(session.now())})
    try:
        return {"id": await _post(session, _body(part, media_ids))}
    except ApiError as error:
        outcome = explain(error)
        if part.intended is None or not isinstance(outcome, Refused) or outcome.code != "duplicate_content":
            raise
    # An earlier call got no response, and the post was not listed: it is there all the same.
    return OutcomeUnknown(message=outcome.message, http_status=outcome.http_status, response=outcome.response)


async def _post(session: NetworkSession, body: Mapping[str, Any]) -> str:
    response = await call(session, "POST", CREATE.removeprefix("POST "), json=body, expect=(200, 201))
    data = members(response).get("data")
    post_id = string(data.get("id")) if isinstance(data, dict) else None
    if post_id is None:
        raise BadResponse("the response names no post", status=response.status)
    return post_id


def _body(part: ThreadPart, media_ids: Sequence[str]) -> dict[str, Any]:
    options = part.outgoing.options
    body: dict[str, Any] = {}
    if text := text_of_part(FACTS, part.outgoing, part.index):
        body["text"] = text
    if media_ids:
        body["media"] = {"media_ids": list(media_ids)}
    if (parent_id := _parent_id(part)) is not None:
        body["reply"] = {"in_reply_to_tweet_id": parent_id}
    if part.index > 0:
        return body
    body |= {name: options[option] for option, name in _OPTIONS.items() if options.get(option) is not None}
    if options.get("replySettings", "everyone") != "everyone":
        body["reply_settings"] = options["replySettings"]
    if options.get("poll") is not None:
        question = msgspec.convert(options["poll"], Poll)
        body["poll"] = {"options": question.options, "duration_minutes": question.minutes}
    return body
