"""What people do with their devices: notifications are turned on and off there, and tried."""

import asyncio
from contextlib import suppress
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.identity.actions.sign_in import record_in_workspaces
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.http import UnknownHost, UnsafeUrl, parse_url
from signalpost.kit.problems import Issue
from signalpost.mail.languages.texts import Texts, language_of
from signalpost.push import encryption, queries, views
from signalpost.push.actions import sending
from signalpost.push.queries import Subscription
from signalpost.push.schemas import PushDevice, PushDeviceCreate, PushDevices
from signalpost.web.caller import Caller
from signalpost.web.fields import PushDeviceId

DEVICES_MAX: Final = 20
"""Of a person; those whose session has ended do not count."""
TEST_TITLE: Final = "Notifications work here"
TEST_TEXT: Final = "So you will see what waits for you."
_LOCK: Final = "select locale from app_user where id = $1 and deleted_at is null for no key update"
_LOCALE: Final = "select locale from app_user where id = $1"
_IS_OPEN: Final = "select true from session where id = $1 and revoked_at is null for key share"
_FORGET_ENDED: Final = """
delete from push_device d using session s
where d.user_id = $1 and s.id = d.session_id and (s.revoked_at is not null or s.expires_at <= now())
"""
_FORGET_OTHER: Final = "delete from push_device where session_id = $1 and endpoint_hash <> $2"
_COUNT: Final = "select count(*) from push_device where user_id = $1 and endpoint_hash <> $2"
# The subscription of a browser where someone else was signed in before becomes another device: what is on its way to
# the one before is not sent.
_WRITE: Final = """
insert into push_device (id, user_id, session_id, endpoint_hash, service, subscription)
values ($1, $2, $3, $4, $5, $6)
on conflict (endpoint_hash) do update set id = excluded.id, user_id = excluded.user_id,
    session_id = excluded.session_id, service = excluded.service, subscription = excluded.subscription,
    created_at = now(), sent_at = null, failing_since = null, error = null
"""
_DELETE: Final = "delete from push_device where id = $1 and user_id = $2 returning true"
_IS_MINE: Final = "select true from push_device where id = $1 and user_id = $2"


async def read(context: AppContext, db: Db, caller: Caller) -> PushDevices:
    """Return what browsers subscribe with, and the caller's devices; an API key has none."""
    rows = await queries.of_user(db, caller.user_id) if caller.auth == "session" else []
    public_key = await asyncio.to_thread(encryption.public_key, context.keys)
    return PushDevices(public_key=public_key, devices=[views.device(caller, row) for row in rows])


async def turn_on(context: AppContext, caller: Caller, data: PushDeviceCreate) -> PushDevice:
    """Have the caller notified on this device, for as long as its session. Repeating it changes nothing else.

    Raises:
        Forbidden: the caller is an API key.
        ValidationFailed: the keys are not those of a browser.
        UnsafeAddress, HostNotFound: the service must not, or cannot, connect to the push service.
        TooManyItems: the person has too many devices.
        Unauthenticated: the session has ended meanwhile.
    """
    session_id = _require_session(caller)
    subscription = await asyncio.to_thread(_read, data)
    await _check(context, data.endpoint)
    hashed, device_id = queries.hash_of(data.endpoint), ids.new_id()
    service = parse_url(data.endpoint).host
    async with context.database.transaction() as db:
        if not await db.fetch(_LOCK, caller.user_id) or not await db.fetchval(_IS_OPEN, session_id):
            raise problems.Unauthenticated("This session has ended.")
        await db.execute(_FORGET_ENDED, caller.user_id)
        await db.execute(_FORGET_OTHER, session_id, hashed)
        if await db.fetchval(_COUNT, caller.user_id, hashed) >= DEVICES_MAX:
            raise problems.TooManyItems(
                f"You get notifications on {DEVICES_MAX} devices, which is as many as there may be.",
                remediation="Turn them off on one that you no longer use.",
            )
        sealed = queries.seal(context.keys, device_id, subscription)
        await db.execute(_WRITE, device_id, caller.user_id, session_id, hashed, service, sealed)
        await record_in_workspaces(db, caller.user_id, "update_user")
        rows = await queries.of_user(db, caller.user_id)
    return views.device(caller, next(row for row in rows if row.id == device_id))


async def turn_off(db: Db, caller: Caller, device_id: UUID) -> None:
    """Have the caller notified no more on a device of theirs.

    Raises:
        NotFound: they have no such device; an API key has none.
    """
    if caller.auth != "session" or not await db.fetchval(_DELETE, device_id, caller.user_id):
        raise problems.NotFound(PushDeviceId.not_found_detail(ids.encode("psh", device_id)))
    await record_in_workspaces(db, caller.user_id, "update_user")


async def send_test(db: Db, caller: Caller, device_id: UUID) -> None:
    """Send a notification to a device of the caller, so that they see whether it arrives.

    Raises:
        NotFound: they have no such device; an API key has none.
        RateLimited: the device had as many notifications in an hour as there may be.
    """
    if caller.auth != "session" or not await db.fetchval(_IS_MINE, device_id, caller.user_id):
        raise problems.NotFound(PushDeviceId.not_found_detail(ids.encode("psh", device_id)))
    texts = Texts(language_of(await db.fetchval(_LOCALE, caller.user_id)))
    notification = sending.Notification(
        title=texts(TEST_TITLE), text=texts(TEST_TEXT), path="/console/account/notifications", tag="test"
    )
    if not await sending.enqueue_for_person(
        db, caller.user_id, notification, workspace_id=caller.workspace_id, device_id=device_id
    ):
        raise problems.RateLimited(
            "This device had enough notifications in this hour.", headers={"Retry-After": "3600"}
        )


def _require_session(caller: Caller) -> UUID:
    if caller.session_id is None:
        raise problems.Forbidden(
            "An API key has no device.", remediation="Sign in with `POST /auth/login` and send its access token."
        )
    return caller.session_id


def _read(data: PushDeviceCreate) -> Subscription:
    issues = []
    point = auth = b""
    try:
        point = encryption.decode(data.keys.p256dh)
        encryption.read_point(point)
    except encryption.BadKeys:
        issues.append(Issue("/keys/p256dh", "not_allowed", "Must be an uncompressed point of P-256, as base64."))
    with suppress(encryption.BadKeys):  # refused as a secret of another length is
        auth = encryption.decode(data.keys.auth)
    if len(auth) != encryption.AUTH_BYTES:
        issues.append(Issue("/keys/auth", "not_allowed", "Must be 16 bytes, as base64."))
    if issues:
        raise problems.ValidationFailed(errors=issues)
    return Subscription(data.endpoint, point, auth)


async def _check(context: AppContext, endpoint: str) -> None:
    try:
        await context.http.push.check_url(endpoint)
    except UnknownHost as unknown:
        message = f"This server does not find the push service of your browser: {unknown.detail}."
        raise problems.HostNotFound(message, errors=[Issue("/endpoint", "host_not_found", message)]) from None
    except UnsafeUrl as unsafe:
        message = f"This is not an address of a push service: {unsafe.detail}."
        raise problems.UnsafeAddress(message, errors=[Issue("/endpoint", "unsafe_url", message)]) from None
