"""Creating records under keys chosen before, finding them again, and removing them."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from signalpost.kit import clock
from signalpost.kit.http import BadAnswer, HttpFailure
from signalpost.networks.connectors.bluesky.calls import call, explain, send
from signalpost.networks.connectors.bluesky.record import COLLECTION, build, forget_blobs
from signalpost.networks.contract import (
    Absent,
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Published,
    Reconciled,
    Refused,
    Response,
    TryLater,
)
from signalpost.networks.outcome_mapping import map_errors, part_done, part_intended, part_step
from signalpost.networks.responses import members, response_text

_GATE = "app.bsky.feed.threadgate"
_GATE_RULES = {"mentioned": "mentionRule", "followers": "followerRule", "following": "followingRule"}
_ALPHABET = "234567abcdefghijklmnopqrstuvwxyz"  # sorts like the numbers it stands for


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Create the post and then each reply of its thread, under keys recorded before; what is there stays as it is."""
    posted: list[Mapping[str, Any]] = []
    for index in range(len(outgoing.parts)):
        known = await _look(session, journal, index) or await _create(session, outgoing, journal, index, posted)
        if not isinstance(known, Mapping):
            return known
        posted.append(known)
    return _published(posted)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Read the intended records back by their keys."""
    posted: list[Mapping[str, Any]] = []
    for index in range(len(outgoing.parts)):
        known = await _look(session, journal, index)
        if known is None:
            return Absent()
        if isinstance(known, OutcomeUnknown):
            return known
        posted.append(known)
    return _published(posted)


def _published(posted: Sequence[Mapping[str, Any]]) -> Published:
    did, _, rkey = posted[0]["id"].removeprefix("at://").partition(f"/{COLLECTION}/")
    return Published(
        remote_id=posted[0]["id"],
        url=f"https://bsky.app/profile/{did}/post/{rkey}",  # by DID: a handle may change hands
        thread_ids=tuple(done["id"] for done in posted[1:]),
    )


async def _look(session: NetworkSession, journal: Journal, index: int) -> Mapping[str, Any] | OutcomeUnknown | None:
    """Return what is known of a public part; None when it was never intended, or surely is not there."""
    intended = part_intended(journal, index)
    if intended is None:
        return part_done(journal, index)
    query = {"repo": session.remote_id, "collection": COLLECTION, "rkey": intended["rkey"]}
    try:
        response = await send(session, "GET", "com.atproto.repo.getRecord", params=query)
        return await _keep(journal, index, intended, response)
    except ApiError as error:
        if _says_absent(error.response):
            return None
        message = f"Bluesky does not say whether the post is there: {error}"
        return OutcomeUnknown(
            message=message, http_status=error.response.status, response=response_text(error.response)
        )
    except HttpFailure as failure:
        return OutcomeUnknown(message=failure.detail, http_status=failure.status)


def _says_absent(response: Response) -> bool:
    told = members(response)
    # The error got its name late; before, only its words told. Without an address they mean: the account moved away.
    words = str(told.get("message")).startswith("Could not locate record: at://")
    return response.status == 400 and (told.get("error") == "RecordNotFound" or words)


async def _keep(journal: Journal, index: int, intended: Mapping[str, Any], response: Response) -> Mapping[str, Any]:
    results = members(response).get("results")  # of applyWrites: the post comes first
    result = results[0] if isinstance(results, list) and results and isinstance(results[0], dict) else members(response)
    uri, cid = result.get("uri"), result.get("cid")
    if not isinstance(uri, str) or not isinstance(cid, str):
        raise BadAnswer("the response names no record", status=response.status)
    done = {**intended, "id": uri, "cid": cid}
    await journal.done(part_step(index), done)
    return done


async def _create(
    session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int, posted: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | Outcome:
    """Create one record; returns what `done` keeps, or how it ended."""
    record = await build(session, outgoing, journal, index)
    if isinstance(record, Refused):
        return record
    if posted:
        references = [{"uri": done["id"], "cid": done["cid"]} for done in (posted[0], posted[-1])]
        record["reply"] = dict(zip(("root", "parent"), references, strict=True))
    intended = part_intended(journal, index)
    if intended is None:
        now = session.now()
        intended = {"rkey": record_key(now, posted[-1]["rkey"] if posted else None), "at": clock.wire(now)}
    await journal.intend(part_step(index), intended)
    record["createdAt"] = intended["at"]
    try:
        response = await _write(session, outgoing, record, intended["rkey"], first=index == 0)
    except ApiError as error:
        return await _after_refusal(session, journal, index, error)
    return await _keep(journal, index, intended, response)


async def _write(
    session: NetworkSession, outgoing: Outgoing, record: Mapping[str, Any], rkey: str, *, first: bool
) -> Response:
    """Make the record public; with a reply gate both are written at once or not at all."""
    gate = outgoing.options.get("replyGate", "everyone")
    if not first or gate == "everyone":
        body = {"repo": session.remote_id, "collection": COLLECTION, "rkey": rkey, "record": record}
        return await call(session, "POST", "com.atproto.repo.createRecord", json=body)
    gate_record = {
        "$type": _GATE,
        "post": f"at://{session.remote_id}/{COLLECTION}/{rkey}",
        "allow": [] if gate == "nobody" else [{"$type": f"{_GATE}#{_GATE_RULES[rule]}"} for rule in gate],
        "createdAt": record["createdAt"],
    }
    writes = [
        {"$type": "com.atproto.repo.applyWrites#create", "collection": collection, "rkey": rkey, "value": value}
        for collection, value in ((COLLECTION, record), (_GATE, gate_record))
    ]
    return await call(
        session, "POST", "com.atproto.repo.applyWrites", json={"repo": session.remote_id, "writes": writes}
    )


async def _after_refusal(
    session: NetworkSession, journal: Journal, index: int, error: ApiError
) -> Mapping[str, Any] | Outcome:
    """Settle an error of the create call. The reference server answers 500 when the key is taken: look it up."""
    if members(error.response).get("error") == "BlobNotFound":
        await forget_blobs(journal, index)
    outcome = explain(error)
    if not isinstance(outcome, OutcomeUnknown):
        raise error
    found = await _look(session, journal, index)
    if found is None and error.response.status == 500:  # the server itself answered, and there is nothing
        return TryLater(message=outcome.message, http_status=500, response=outcome.response)
    return found or outcome


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Remove the posts, last first, and the reply gate. A record that is not there counts as removed."""
    for uri in (*reversed(thread_ids), remote_id):
        await _delete_record(session, COLLECTION, uri.rpartition("/")[2])
    await _delete_record(session, _GATE, remote_id.rpartition("/")[2])


async def _delete_record(session: NetworkSession, collection: str, rkey: str) -> None:
    body = {"repo": session.remote_id, "collection": collection, "rkey": rkey}
    await call(session, "POST", "com.atproto.repo.deleteRecord", json=body)


def record_key(now: datetime, after: str | None = None) -> str:
    """Return a TID for `now`: 53 bits of microseconds and a random 10 bit clock id; later than `after`, if given."""
    microseconds = (now - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    if after is not None:
        earlier = 0
        for char in after:
            earlier = earlier << 5 | _ALPHABET.index(char)
        microseconds = max(microseconds, (earlier >> 10) + 1)
    number = microseconds << 10 | secrets.randbelow(1024)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(60, -1, -5))
