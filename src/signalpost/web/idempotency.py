"""Idempotency keys: the first response to a POST is stored for 24 hours and returned again to repeated requests.

Stored responses are encrypted: some contain a secret that is shown only once, such as an API key.
"""

import hashlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final, TypeAlias

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import batches, clock, problems, rows
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


class KeyRow(Struct):
    """The row of a response under its key, the body sealed; without a status, of a request that is running."""

    credential: str
    key: str
    fingerprint: bytes
    status: int | None = None
    headers: dict[str, str] | None = None
    body: bytes | None = None


Keep: TypeAlias = Callable[[Any], KeyRow]
"""Makes of a handler's result the row that is to be written with its effect."""


class NotKept(Exception):
    """A handler did nothing, since it could not write its effect and the response at once: it needs a transaction."""


class Taken(Exception):
    """Another request has used the key since it was looked at: all that this one did is rolled back."""


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


def _is_free(row: str, request_hash: str) -> str:
    """Return whether a row holds its key no longer, as SQL; $4 is RETENTION, $5 RUNNING_MAX."""
    return (
        f"({row}.created_at < now() - $4::interval or ({row}.status is null"
        f" and {row}.created_at < now() - $5::interval and {row}.fingerprint = {request_hash}))"
    )


# The key is written at the end, with the response: whoever looked before that is refused there, by the key itself.
_LOOK = f"""
select pg_try_advisory_xact_lock(hashtextextended($6::text, 0)) as is_mine, i.fingerprint, i.status, i.headers, i.body
from (select) as one left join idempotency i on i.credential = $1 and i.key = $2 and not {_is_free("i", "$3")}
"""  # noqa: S608 - constants only
_KEEP = f"""
insert into idempotency (credential, key, fingerprint, status, headers, body) values ($1, $2, $3, $6, $7, $8)
on conflict (credential, key) do update
set fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
    created_at = now()
where {_is_free("idempotency", "excluded.fingerprint")}
returning true
"""  # noqa: S608 - constants only
KEY_ROWS: Final = rows.Arrays(KeyRow)
_HAS_RESPONSE = "select status is not null from idempotency where credential = $1 and key = $2"
_STORE = "update idempotency set status = $3, headers = $4, body = $5 where credential = $1 and key = $2"
_RELEASE = "delete from idempotency where credential = $1 and key = $2 and status is null"
_PURGE = batches.delete("idempotency", "created_at < $1")


async def look(db: Db, keys: KeyRing, credential: str, key: str, request_hash: bytes) -> StoredResponse | None:
    """Lock the key, or return the response that is stored under it.

    Call it in the transaction of the effect, which ends with `keep`: a concurrent repeat then finds the lock taken.

    Raises:
        IdempotencyInProgress: the first request is still running.
        IdempotencyKeyReused: the key belongs to a different request.
    """
    lock = f"idempotency:{credential}:{key}"
    row = await db.fetchrow(_LOOK, credential, key, request_hash, RETENTION, RUNNING_MAX, lock)
    if row is None or not row["is_mine"]:
        raise _in_progress(key)
    if row["fingerprint"] is None:
        return None
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


async def claim(db: Db, keys: KeyRing, credential: str, key: str, request_hash: bytes) -> StoredResponse | None:
    """Claim the key for this request, or return the response that is stored under it.

    For work that does not fit into one transaction: call it in a transaction of its own before. A concurrent repeat
    then finds the row without a response, for at most `RUNNING_MAX`.

    Raises:
        IdempotencyInProgress: the first request is still running.
        IdempotencyKeyReused: the key belongs to a different request.
    """
    if stored := await look(db, keys, credential, key, request_hash):
        return stored
    try:
        await keep(db, KeyRow(credential, key, request_hash))
    except Taken:
        raise _in_progress(key) from None
    return None


async def has_response(db: Db, credential: str, key: str) -> bool:
    """Whether a response is stored under this key, for this request or a different one."""
    return bool(await db.fetchval(_HAS_RESPONSE, credential, key))


def key_row(keys: KeyRing, credential: str, key: str, request_hash: bytes, response: Response) -> KeyRow:
    """Return the row of a response, with its own headers and none of the request."""
    if isinstance(response.body, Stream):
        raise TypeError("a streamed response cannot be stored under an Idempotency-Key")
    headers = {name.decode(): value.decode("latin-1") for name, value in response.headers if name in _OWN_HEADERS}
    body = keys.seal(response.body, context=_context(credential, key))
    return KeyRow(credential, key, request_hash, response.status, headers, body)


async def keep(db: Db, row: KeyRow) -> None:
    """Store a response under a key that nobody had when it was looked at.

    Raises:
        Taken: another request has it by now.
    """
    values = row.fingerprint, RETENTION, RUNNING_MAX, row.status, row.headers, row.body
    if not await db.fetchval(_KEEP, row.credential, row.key, *values):
        raise Taken


def keep_sql(source: str, condition: str) -> str:
    """Return the insert of those rows of `source`, which has the columns of `KeyRow` as `k`, whose keys nobody has."""
    return f"""
    insert into idempotency ({", ".join(KEY_ROWS.names)}) select {KEY_ROWS.select("k")} from {source} where {condition}
    order by k.credential, k.key on conflict (credential, key) do nothing returning credential, key
    """  # noqa: S608 - names of columns only


async def store(db: Db, row: KeyRow) -> None:
    """Store the response under a claimed key."""
    await db.execute(_STORE, row.credential, row.key, row.status, row.headers, row.body)


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
