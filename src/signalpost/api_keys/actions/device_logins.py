"""A program without a browser gets an API key that a person grants: RFC 8628 (decision 0435).

Both codes are stored as keyed digests, by which they are found: no comparison takes longer for a better guess.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from msgspec import Struct

from signalpost.api_keys import views
from signalpost.api_keys.actions import keys
from signalpost.api_keys.errors import AccessDenied, AuthorizationPending, ExpiredToken, SlowDown
from signalpost.api_keys.schemas import (
    ApiKey,
    ApiKeyCreate,
    DeviceLogin,
    DeviceLoginApprove,
    DeviceLoginCodes,
    DeviceLoginCreate,
    DeviceLoginKey,
)
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import batches, cells, clock, crypto, foreign, ids, problems
from signalpost.kit.crypto import KeyRing, SealedColumn
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader
from signalpost.web import shared_buckets
from signalpost.web.caller import Caller
from signalpost.web.shared_buckets import Want

ALPHABET: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""Without vowels, so that no code is a word, and without digits that look like letters."""
CODE_LENGTH: Final = 8
LIFETIME: Final = timedelta(minutes=10)
INTERVAL_SECONDS: Final = 5
OPEN_MAX: Final = 10_000
"""Of the installation. Of 2.56e10 codes, a guess meets one of these with a probability of 4e-7."""
GUESSES_OF_PERSON: Final = 10
GUESSES_OF_INSTALLATION: Final = 1_000
GUESS_SECONDS: Final = 900
NAME_MAX: Final = 80
PURGE_JOB: Final = "api_keys.purge_device_logins"
PURGE_SECONDS: Final = 600
PURGED_MAX: Final = 500
_PURPOSE: Final = "device-login"


class DeviceLoginRow(Struct):
    """A device that asks for a key, as the person sees it."""

    id: UUID
    device_name: str
    address: str
    created_at: datetime
    expires_at: datetime


_COLUMNS: Final = columns(DeviceLoginRow, "d")
_read: Final = reader(DeviceLoginRow)
_INSERT: Final = """
insert into device_login (id, device_hash, user_hash, device_name, address, created_at, expires_at, interval_seconds)
select $1, $2, $3, $4, $5, $6, $7, $8
where (select count(*) from (select from device_login where expires_at > now() limit $9) open) < $9
on conflict do nothing returning true
"""
_BY_USER_CODE: Final = f"""
select {_COLUMNS} from device_login d where d.user_hash = any($1) and d.state = 'pending' and d.expires_at > now()
"""  # noqa: S608 - columns of a struct
_LOCK: Final = f"{_BY_USER_CODE} for update"
_REFUSE: Final = "update device_login set state = 'refused' where id = $1"
_APPROVE: Final = "update device_login set state = 'approved', key_id = $2, sealed_key = $3 where id = $1"
# The interval counts from the last question that was answered, so that impatience does not wait forever.
_POLLED: Final = """
select d.id, d.state, d.interval_seconds, d.key_id, d.sealed_key, k.revoked_at is null as works,
    d.polled_at > now() - make_interval(secs => d.interval_seconds - 0.5) as is_early
from device_login d left join api_key k on k.id = d.key_id
where d.device_hash = any($1) and d.expires_at > now() for update of d
"""
_SLOWER: Final = """
update device_login set interval_seconds = least(interval_seconds + 5, 60) where id = $1 returning interval_seconds
"""
_NOTE_POLL: Final = "update device_login set polled_at = now() where id = $1"
_DELETE: Final = "delete from device_login where id = $1"
_PURGE: Final = batches.delete("device_login", "expires_at < now() and key_id is null")
_EXPIRED_KEY: Final = """
select id, key_id from device_login where expires_at < now() and key_id is not null limit 1 for update skip locked
"""


async def create_device_login(context: AppContext, data: DeviceLoginCreate, address: str) -> DeviceLoginCodes:
    """Open a sign-in for ten minutes.

    Raises:
        RateLimited: too many are open in the installation.
    """
    device_code, expires_at = cells.with_name(context.keys.cell, crypto.random_token()), clock.actual() + LIFETIME
    user_code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    name = foreign.line(data.device_name, NAME_MAX).strip()
    if not name:
        raise problems.invalid("/deviceName", "format", "Enter a name that people can read.")
    async with context.database.transaction() as db:
        written = await db.fetchval(
            _INSERT, ids.new_id(), _digests(context.keys, device_code)[0], _digests(context.keys, user_code)[0],
            name, address, clock.actual(), expires_at, INTERVAL_SECONDS, OPEN_MAX,
        )  # fmt: skip
    if not written:
        raise problems.RateLimited("Too many devices are signing in at the moment.", headers={"Retry-After": "60"})
    code = f"{user_code[:4]}-{user_code[4:]}"
    page = f"{context.base_url}/console/device"
    return DeviceLoginCodes(
        device_code=device_code, user_code=code, verification_uri=page,
        verification_uri_complete=f"{page}?code={quote(code)}", expires_at=clock.wire(expires_at),
        interval_seconds=INTERVAL_SECONDS,
    )  # fmt: skip


async def take_key(context: AppContext, device_code: str) -> DeviceLoginKey:
    """Return the key that was granted; the row and with it the sealed key are gone then.

    Raises:
        AuthorizationPending, SlowDown, AccessDenied, ExpiredToken: there is none, as RFC 8628 distinguishes it.
    """
    async with context.database.transaction() as db:  # a refusal below changes the row too, so it is raised outside
        outcome = await _poll(db, context.keys, device_code)
    if isinstance(outcome, problems.Problem):
        raise outcome
    return outcome


async def _poll(db: Db, keys_: KeyRing, device_code: str) -> DeviceLoginKey | problems.Problem:
    row = await db.fetchrow(_POLLED, _digests(keys_, device_code))
    if row is None:
        return ExpiredToken("No sign-in of a device has this code: it expired, or its key was taken.")
    if row["is_early"]:
        seconds = await db.fetchval(_SLOWER, row["id"])
        return SlowDown(
            f"The device asked too soon; the interval is {seconds} seconds now.", headers={"Retry-After": str(seconds)}
        )
    match row["state"]:
        case "pending":
            await db.execute(_NOTE_POLL, row["id"])
            return AuthorizationPending("Nobody has decided about this device yet.")
        case "refused":
            await db.execute(_DELETE, row["id"])
            return AccessDenied("The person who looked at the code refused the device.")
        case _:
            await db.execute(_DELETE, row["id"])
            if not row["works"]:
                return ExpiredToken("The key was revoked before the device took it.")
            key = keys_.open(row["sealed_key"], context=_sealed_as(row["id"])).decode()
            return DeviceLoginKey(id=ids.encode("key", row["key_id"]), key=key)


async def find_device_login(context: AppContext, caller: Caller, user_code: str) -> DeviceLogin:
    """Return what asks for a key.

    Raises:
        Forbidden: the caller is not a person who is signed in.
        NotFound: no device shows this code.
        RateLimited: this person, or all of them, guessed too often.
    """
    row = await _find(context, caller, user_code)
    return DeviceLogin(
        device_name=row.device_name, address=row.address, created_at=clock.wire(row.created_at),
        expires_at=clock.wire(row.expires_at),
    )  # fmt: skip


async def approve(context: AppContext, caller: Caller, data: DeviceLoginApprove) -> ApiKey:
    """Make a key of this person for the device.

    Raises:
        Forbidden: the caller is not a person who is signed in, or their role has no keys or lacks a scope.
        NotFound, RateLimited: as in `find_device_login`; or it was decided meanwhile.
        ValidationFailed, PlanLimitReached: as in `create_api_key`.
    """
    keys.require_key_management(caller)
    await _find(context, caller, data.user_code)
    async with context.database.transaction() as db:
        row = await _lock(db, context.keys, data.user_code)
        terms = ApiKeyCreate(
            name=f"sp on {row.device_name}"[:100], mode=data.mode, scopes=data.scopes, profile_ids=data.profile_ids
        )
        created = await keys.create_api_key(context, db, caller, terms)
        key_id = ids.decode("key", created.id)
        sealed = context.keys.seal(created.key.encode(), context=_sealed_as(row.id))
        await db.execute(_APPROVE, row.id, key_id, sealed)
    return views.without_secret(created)


async def refuse(context: AppContext, caller: Caller, user_code: str) -> None:
    """Refuse the device: it learns that with its next question."""
    await _find(context, caller, user_code)
    async with context.database.transaction() as db:
        row = await _lock(db, context.keys, user_code)
        await db.execute(_REFUSE, row.id)


async def _find(context: AppContext, caller: Caller, user_code: str) -> DeviceLoginRow:
    if caller.auth != "session":
        raise problems.Forbidden(
            "Only a person who is signed in grants a key to a device.",
            remediation="Sign in to the console, or create a key with `POST /api-keys`.",
        )
    wants = [Want(f"device code {caller.user_id}", GUESSES_OF_PERSON), Want("device code", GUESSES_OF_INSTALLATION)]
    # Counted before anything is read, so that of many guesses at the same moment no more get through.
    refused = await shared_buckets.take_each(context.database, wants, GUESS_SECONDS)
    if refused is not None:
        seconds = refused[1].seconds_to_next
        raise problems.RateLimited(
            f"Too many codes were wrong; the next may be tried in {seconds} seconds.",
            headers={"Retry-After": str(seconds)},
        )
    async with context.database.connection() as db:
        record = await db.fetchrow(_BY_USER_CODE, _digests(context.keys, _normal(user_code)))
    if record is None:
        raise _unknown()
    await shared_buckets.give_back(context.database, wants, GUESS_SECONDS)
    return _read(record)


async def _lock(db: Db, keys_: KeyRing, user_code: str) -> DeviceLoginRow:
    record = await db.fetchrow(_LOCK, _digests(keys_, _normal(user_code)))
    if record is None:  # decided since it was found, or over
        raise _unknown()
    return _read(record)


def _unknown() -> problems.NotFound:
    return problems.NotFound(
        "No device shows this code.",
        remediation="Compare it with the one in the terminal. A code works for ten minutes, and once.",
    )


def _normal(user_code: str) -> str:
    return "".join(user_code.upper().replace("-", "").split())


def _digests(keys_: KeyRing, code: str) -> list[bytes]:
    """Return the digest of a code under each master key, the current one first."""
    return [crypto.hmac_sha256(key, code.encode("utf-8", "surrogatepass")) for key in keys_.derive_each(_PURPOSE)]


def _sealed_as(row_id: UUID) -> str:
    return f"{_PURPOSE}|{row_id}"


SEALED: Final = (SealedColumn("device_login", {"id": "uuid"}, "sealed_key", lambda row: _sealed_as(row["id"])),)


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(PURGE_JOB, purge, PURGE_SECONDS)]


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Forget sign-ins that expired; a key that no device took is revoked."""
    async with lease.transaction() as db:
        more = await batches.run(db, [_PURGE])
    for _ in range(PURGED_MAX):
        async with lease.transaction() as db:  # one for each: a key is of one workspace
            row = await db.fetchrow(_EXPIRED_KEY)
            if row is None:
                return RunAgain(0) if more else None
            await keys.revoke_key(db, row["key_id"])
            await db.execute(_DELETE, row["id"])
    return RunAgain(0)
