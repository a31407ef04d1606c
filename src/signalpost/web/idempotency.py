"""Idempotency keys: the first answer to a POST is kept for 24 hours and given again to its repeats.

Answers are sealed: some hold what is shown only once, an API key or a webhook's secret.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.kit import clock, problems
from signalpost.kit.crypto import KeyRing, Undecipherable
from signalpost.kit.db import Db

KEPT = timedelta(hours=24)
RUNNING = timedelta(minutes=2)


class IdempotencyKeyReused(problems.Problem, status=422):
    """This Idempotency-Key was used for another request.

    Use a new key for a new request; repeat the old one only with the very same method, path and body.
    """


class IdempotencyInProgress(problems.Problem, status=409, retryable=True):
    """A request with this Idempotency-Key is still running.

    Wait a second and repeat it: you will get the answer of the first one.
    """


class Kept(Struct):
    """A stored answer."""

    status: int
    body: bytes
    headers: dict[str, str]


def read_key(value: str) -> str:
    """Check the header: 1 to 128 visible ASCII characters.

    Raises:
        ValidationFailed: it is not.
    """
    if not 1 <= len(value) <= 128 or any(not "!" <= char <= "~" for char in value):
        raise problems.invalid("Idempotency-Key", "format", "Idempotency-Key is 1 to 128 visible ASCII characters.")
    return value


def fingerprint(method: str, path: str, body: bytes) -> bytes:
    """Return what makes two requests the same one."""
    return hashlib.sha256(method.encode() + b"\0" + path.encode() + b"\0" + body).digest()


_CLAIM = """
insert into idempotency (credential, key, fingerprint) values ($1, $2, $3)
on conflict (credential, key) do update
set fingerprint = excluded.fingerprint, status = null, headers = null, body = null, created_at = now()
where idempotency.created_at < now() - $4::interval
   or (idempotency.status is null and idempotency.created_at < now() - $5::interval
       and idempotency.fingerprint = excluded.fingerprint)
returning true
"""
_READ = "select fingerprint, status, headers, body from idempotency where credential = $1 and key = $2"
_LOCK = "select pg_try_advisory_xact_lock(hashtextextended($1, 0))"
_KEEP = "update idempotency set status = $3, headers = $4, body = $5 where credential = $1 and key = $2"
_FORGET = "delete from idempotency where credential = $1 and key = $2 and status is null"
_PURGE = "delete from idempotency where created_at < $1"


async def claim(db: Db, keys: KeyRing, credential: str, key: str, print_: bytes) -> Kept | None:
    """Take the key for this request, or return the answer that was kept for it.

    Call it in the transaction of the effect (a twin then finds the lock taken), or in one of its own before work that
    cannot stand in one transaction (a twin then finds the row without an answer, for at most two minutes).

    Raises:
        IdempotencyInProgress: a twin is running.
        IdempotencyKeyReused: the key belongs to another request.
    """
    if not await db.fetchval(_LOCK, f"idempotency:{credential}:{key}"):
        raise IdempotencyInProgress(headers={"Retry-After": "1"})
    if await db.fetchval(_CLAIM, credential, key, print_, KEPT, RUNNING):
        return None
    row = await db.fetchrow(_READ, credential, key)
    if row is None:
        raise IdempotencyInProgress(headers={"Retry-After": "1"})
    if row["fingerprint"] != print_:
        raise IdempotencyKeyReused
    if row["status"] is None:
        raise IdempotencyInProgress(headers={"Retry-After": "1"})
    try:
        body = keys.open(row["body"], context=_context(credential, key))
    except Undecipherable:
        raise IdempotencyKeyReused("The answer kept for this Idempotency-Key cannot be read any more.") from None
    return Kept(row["status"], body, row["headers"])


async def is_answered(db: Db, credential: str, key: str) -> bool:
    """Whether an answer is kept under this key, for this request or another one."""
    row = await db.fetchrow(_READ, credential, key)
    return row is not None and row["status"] is not None


async def keep(db: Db, keys: KeyRing, credential: str, key: str, answer: Kept) -> None:
    """Store the answer for the repeats."""
    body = keys.seal(answer.body, context=_context(credential, key))
    await db.execute(_KEEP, credential, key, answer.status, answer.headers, body)


def _context(credential: str, key: str) -> str:
    return f"idempotency|{credential}|{key}"


async def forget(db: Db, credential: str, key: str) -> None:
    """Give the key back: the request ended without an answer worth repeating."""
    await db.execute(_FORGET, credential, key)


async def purge(db: Db) -> None:
    """Delete what nobody may ask for any more."""
    await db.execute(_PURGE, clock.now() - KEPT)


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the job that forgets kept responses whose time is over."""
    return [JobKind("web.purge", _purge, 3_600)]


async def _purge(lease: Lease, _payload: Mapping[str, Any]) -> None:
    async with lease.transaction() as db:
        await purge(db)
