"""Creating records under keys chosen in advance, reading them back, and deleting them."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import structs

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.bluesky.calls import call, explain, send
from signalpost.networks.connectors.bluesky.facts import FACTS
from signalpost.networks.connectors.bluesky.record import COLLECTION, build, forget_blobs, is_absent
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
    Response,
    TryLater,
)
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart, find_part, is_restored, publish_parts, reconcile_parts

_GATE = "app.bsky.feed.threadgate"
_GATE_RULES = {"mentioned": "mentionRule", "followers": "followerRule", "following": "followingRule"}
_PAGES_MAX, _PAGE_LENGTH = 10, 100
_SKEW = timedelta(seconds=60)
_ALPHABET = "234567abcdefghijklmnopqrstuvwxyz"  # sorts like the numbers it stands for


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Create each post of the thread under a record key that the journal holds already."""
    return await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Read the intended records back by their keys."""
    return await reconcile_parts(session, outgoing, journal, find=_find, published=_published)


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    did, _, rkey = posted[0]["id"].removeprefix("at://").partition(f"/{COLLECTION}/")
    return Published(
        remote_id=posted[0]["id"],
        url=f"https://bsky.app/profile/{did}/post/{rkey}",  # by DID: a handle may change hands
        thread_ids=tuple(part["id"] for part in posted[1:]),
    )


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    session = part.session
    if is_restored(intended):
        return await _find_by_text(part, datetime.fromisoformat(intended["at"]))
    query = {"repo": session.remote_id, "collection": COLLECTION, "rkey": intended["rkey"]}
    try:
        return _reference(await send(session, "GET", "com.atproto.repo.getRecord", params=query))
    except ApiError as error:
        if is_absent(error.response):
            return None
        raise


async def _find_by_text(part: ThreadPart, since: datetime) -> PublicPart | OutcomeUnknown | None:
    """Look through the newest records for one with this text and parent; its key is not known."""
    query = {"repo": part.session.remote_id, "collection": COLLECTION, "limit": str(_PAGE_LENGTH)}
    text, first_key = text_of_part(FACTS, part.outgoing, part.index), record_key(since - _SKEW)[:-2]
    for _ in range(_PAGES_MAX):
        page = members(await send(part.session, "GET", "com.atproto.repo.listRecords", params=query))
        records = page.get("records")
        if not isinstance(records, list):
            raise BadResponse("the response is not a list of records")
        for record in records:
            uri, value = string(record.get("uri")) or "", record.get("value")
            rkey = uri.rpartition("/")[2]
            if rkey < first_key:  # keys sort like times
                return None
            if isinstance(value, dict) and value.get("text") == text and _parent_uri(value) == _parent_id(part):
                return {"id": uri, "cid": record.get("cid"), "rkey": rkey}
        if not records or (cursor := string(page.get("cursor"))) is None:
            return None
        query["cursor"] = cursor
    return OutcomeUnknown(message="The account has published too many posts since then to find this one.")


def _parent_uri(record: Mapping[str, Any]) -> Any:
    reply = record.get("reply")
    parent = reply.get("parent") if isinstance(reply, dict) else None
    return parent.get("uri") if isinstance(parent, dict) else None


def _parent_id(part: ThreadPart) -> str | None:
    return None if part.parent is None else str(part.parent["id"])


def _reference(response: Response) -> PublicPart:
    results = members(response).get("results")  # of applyWrites: the post comes first
    result = results[0] if isinstance(results, list) and results and isinstance(results[0], dict) else members(response)
    uri, cid = result.get("uri"), result.get("cid")
    if not isinstance(uri, str) or not isinstance(cid, str):
        raise BadResponse("the response names no record", status=response.status)
    return {"id": uri, "cid": cid}


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session, posted = part.session, part.posted
    record = await build(session, part.outgoing, part.journal, part.index)
    if isinstance(record, Refused):
        return record
    if posted:
        references = [{"uri": post["id"], "cid": post["cid"]} for post in (posted[0], posted[-1])]
        record["reply"] = dict(zip(("root", "parent"), references, strict=True))
    intended = part.intended
    if intended is None:
        now = session.now()
        intended = {"rkey": record_key(now, part.parent.get("rkey") if part.parent else None), "at": clock.wire(now)}
    await part.intend(intended)
    record["createdAt"] = intended["at"]
    try:
        return _reference(await _write(part, record, intended["rkey"]))
    except ApiError as error:
        if members(error.response).get("error") == "BlobNotFound":
            await forget_blobs(part.journal, part.index)
        return await _after_error(structs.replace(part, intended=intended), error)


async def _write(part: ThreadPart, record: Mapping[str, Any], rkey: str) -> Response:
    """Make the record public; with a reply gate both are written at once or not at all."""
    session, gate = part.session, part.outgoing.options.get("replyGate", "everyone")
    if part.index > 0 or gate == "everyone":
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


async def _after_error(part: ThreadPart, error: ApiError) -> PublicPart | Outcome:
    """Resolve an error of the create call. The reference server answers 500 when the key is taken: read it back."""
    outcome = explain(error)
    if not isinstance(outcome, OutcomeUnknown):
        raise error
    public = await find_part(_find, part)
    if public is None and error.response.status == 500:  # the server itself answered, and there is no record
        return TryLater(message=outcome.message, http_status=500, response=outcome.response)
    return public or outcome


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the posts, last first, and the reply gate. A record that does not exist counts as deleted."""
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
