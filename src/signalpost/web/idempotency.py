"""Idempotency keys: the first response to a POST is stored for 24 hours and returned again to repeated requests.

Stored responses are encrypted: some contain a secret that is shown only once, such as an API key.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import batches, clock, problems
from signalpost.kit.crypto import KeyRing, Undecipherable
from signalpost.kit.db import Db
from signalpost.web import shared_buckets
from signalpost.web.request import Request
from signalpost.web.response import Response
from signalpost.web.streaming import Stream

RETENTION = timedelta(hours=24)
_OWN_HEADERS = frozenset({b"etag", b"location", b"content-type", b"retry-after"})
RUNNING_MAX = timedelta(minutes=2)
"""A key without a response is free again after this time: the process that held it has died."""


class IdempotencyKeyReused(problems.Problem, status=422):
    """This Idempotency-Key was used for a different request.

    Use a new key for a new request. Repeat a key only with the same method, path, query and body.
    """


class IdempotencyInProgress(problems.Problem, status=409, retryable=True):
    """A request with this Idempotency-Key is still running.

    Wait a second and repeat it: you will receive the response of the first request.
    """


class StoredResponse(Struct):
    """A response as it is stored."""

    status: int
    body: bytes
    headers: dict[str, str]


def read_key(value: str) -> str:
    """Return the key in the header.

    Raises:
        ValidationFailed: it is not 1 to 128 visible ASCII characters.
    """
    if not 1 <= len(value) <= 128 or any(not "!" <= char <= "~" for char in value):
        raise problems.invalid("Idempotency-Key", "format", "Must be 1 to 128 visible ASCII characters.")
    return value


def fingerprint(method: str, request: Request, body: bytes) -> bytes:
    """Return the hash by which a repeated request is recognised. `?dryRun=true` asks for another: decision 0299."""
    query: bytes = request.scope["query_string"]
    target = request.path.encode() + (b"?" + query if query else b"")
    return hashlib.sha256(method.encode() + b"\0" + target + b"\0" + body).digest()


def _in_progress(key: str) -> IdempotencyInProgress:
    return IdempotencyInProgress(
        f"The first request with the Idempotency-Key {key} has no response yet.", headers={"Retry-After": "1"}
    )


# The lock and the claim are one round trip. A claim that committed after this snapshot was taken is seen all the same:
# what is in the way of an insert is looked at as it is now.
_CLAIM = """
with locked as materialized (
    select pg_try_advisory_xact_lock(hashtextextended($6::text, 0)) as is_mine
), claimed as (
    insert into idempotency (credential, key, fingerprint)
    select $1::text, $2::text, $3::bytea from locked where is_mine
    on conflict (credential, key) do update
    set fingerprint = excluded.fingerprint, status = null, headers = null, body = null, created_at = now()
    where idempotency.created_at < now() - $4::interval
       or (idempotency.status is null and idempotency.created_at < now() - $5::interval
           and idempotency.fingerprint = excluded.fingerprint)
    returning true
)
select is_mine, exists (select from claimed) as is_claimed from locked
"""
_READ = "select fingerprint, status, headers, body from idempotency where credential = $1 and key = $2"
_STORE = "update idempotency set status = $3, headers = $4, body = $5 where credential = $1 and key = $2"
_RELEASE = "delete from idempotency where credential = $1 and key = $2 and status is null"
_PURGE = batches.delete("idempotency", "created_at < $1")


async def claim(db: Db, keys: KeyRing, credential: str, key: str, request_hash: bytes) -> StoredResponse | None:
    """Claim the key for this request, or return the response that is stored under it.

    Call it in the transaction of the effect: a concurrent repeat then finds the lock taken. For work that does not fit
    into one transaction call it in a transaction of its own before: a concurrent repeat then finds the row without a
    response, for at most `RUNNING_MAX`.

    Raises:
        IdempotencyInProgress: the first request is still running.
        IdempotencyKeyReused: the key belongs to a different request.
    """
    lock = f"idempotency:{credential}:{key}"
    claimed = await db.fetchrow(_CLAIM, credential, key, request_hash, RETENTION, RUNNING_MAX, lock)
    if claimed is None or not claimed["is_mine"]:
        raise _in_progress(key)
    if claimed["is_claimed"]:
        return None
    row = await db.fetchrow(_READ, credential, key)
    if row is None:
        raise _in_progress(key)
    if row["fingerprint"] != request_hash:
        raise IdempotencyKeyReused(f"The Idempotency-Key {key} belongs to a request with another path, query or body.")
    if row["status"] is None:
        raise _in_progress(key)
    try:
        body = keys.open(row["body"], context=_context(credential, key))
    except Undecipherable:
        raise IdempotencyKeyReused(
            "The response stored under this Idempotency-Key can no longer be decrypted."
        ) from None
    return StoredResponse(row["status"], body, row["headers"])


async def has_response(db: Db, credential: str, key: str) -> bool:
    """Whether a response is stored under this key, for this request or a different one."""
    row = await db.fetchrow(_READ, credential, key)
    return row is not None and row["status"] is not None


async def store(db: Db, keys: KeyRing, credential: str, key: str, response: Response) -> None:
    """Store the response under the claimed key, with its own headers and none of the request."""
    if isinstance(response.body, Stream):
        raise TypeError("a streamed response cannot be stored under an Idempotency-Key")
    headers = {name.decode(): value.decode("latin-1") for name, value in response.headers if name in _OWN_HEADERS}
    body = keys.seal(response.body, context=_context(credential, key))
    await db.execute(_STORE, credential, key, response.status, headers, body)


def _context(credential: str, key: str) -> str:
    return f"idempotency|{credential}|{key}"


async def release(db: Db, credential: str, key: str) -> None:
    """Release a claimed key: the request ended without a response that a repeat should receive."""
    await db.execute(_RELEASE, credential, key)


async def purge(db: Db) -> bool:
    """Delete some of the responses that are past their retention; return whether there may be more."""
    return await batches.run(db, [_PURGE], clock.now() - RETENTION)


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the job that deletes stored responses past their retention, and buckets that are full."""
    return [JobKind("web.purge", _purge, 3_600)]


async def _purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    async with lease.transaction() as db:
        more = await purge(db)
        full = await shared_buckets.purge(db)
    return RunAgain(1) if more or full == shared_buckets.PURGED_MAX else None
