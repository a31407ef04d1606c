"""A notification on its way: to each device of a person, by a job for each device until its push service has it."""

import asyncio
import base64
import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Struct, field

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db
from signalpost.kit.http import HttpFailure, Response, UnknownHost, UnsafeUrl, parse_url
from signalpost.networks.responses import wait_seconds
from signalpost.push import encryption, queries
from signalpost.push.queries import Subscription

JOB: Final = "push.send"
TITLE_MAX: Final = 120
TEXT_MAX: Final = 300
PATH_MAX: Final = 300
LIFE: Final = timedelta(days=1)
"""So long a push service keeps what a device that is off has not received, and we try to hand it over."""
RETRY_SECONDS: Final = (30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600)
"""Delays while a push service cannot be reached or asks to try later: most of a day."""
PER_HOUR: Final = 60
"""Notifications to one device in an hour: what comes beyond that is in the console."""
FAILING_DAYS: Final = 14
"""A device that could not be reached for so long, with no success between, is forgotten."""
_TIMEOUT_SECONDS: Final = 10.0
_TOKEN_SECONDS: Final = 12 * 3_600
_ERROR_MAX: Final = 300
_logger = log.get("push")

Urgency = Literal["normal", "high"]


class Notification(Struct, kw_only=True):
    """What a device shows; one with the same tag replaces it. The path is of a page of the console."""

    title: str
    text: str
    path: str
    tag: str
    urgency: Urgency = "high"
    id: UUID = field(default_factory=ids.new_id)
    at: datetime = field(default_factory=clock.now)

    def __post_init__(self) -> None:
        self.title, self.text, self.path = _cut(self.title, TITLE_MAX), _cut(self.text, TEXT_MAX), self.path[:PATH_MAX]

    def body(self) -> bytes:
        """Return what the worker of the console reads; always short enough for a push message."""
        at = round(self.at.timestamp() * 1000)
        fields = {"title": self.title, "text": self.text, "path": self.path, "tag": self.topic, "at": at}
        return msgspec.json.encode(fields)

    @property
    def topic(self) -> str:
        """The tag as push services take it: 32 characters of base64 for addresses (RFC 8030, 5.4)."""
        return base64.urlsafe_b64encode(hashlib.sha256(self.tag.encode()).digest()[:24]).decode()


class _Sending(Struct):
    """The payload of a job."""

    device_id: UUID
    notification: Notification
    attempt: int = 1


def _cut(whole: str, length: int) -> str:
    """Return a text of at most so many characters."""
    return whole if len(whole) <= length else whole[: length - 1].rstrip() + "…"


_COUNT_DEVICES: Final = f"""
with picked as materialized (
    select d.id from push_device d join session s on s.id = d.session_id
    where d.user_id = $1 and ($2::uuid is null or d.id = $2) and s.revoked_at is null and s.expires_at > now()
    order by d.id for no key update of d
)
update push_device d set
    hour_count = case when d.hour_began_at > now() - interval '1 hour' then d.hour_count + 1 else 1 end,
    hour_began_at = case when d.hour_began_at > now() - interval '1 hour' then d.hour_began_at else now() end
from picked p where d.id = p.id
    and (d.hour_began_at <= now() - interval '1 hour' or d.hour_count < {PER_HOUR})
returning d.id
"""  # noqa: S608 - a constant


async def enqueue_for_person(
    db: Db, user_id: UUID, notification: Notification, *, workspace_id: UUID | None, device_id: UUID | None = None
) -> int:
    """Have a person notified on their devices, or on this one, that had not enough yet; return how many those are."""
    devices = await db.fetch(_COUNT_DEVICES, user_id, device_id)
    for device in devices:
        await enqueue(db, device["id"], notification, workspace_id=workspace_id)
    return len(devices)


async def enqueue(
    db: Db,
    device_id: UUID,
    notification: Notification,
    *,
    workspace_id: UUID | None,
    attempt: int = 1,
    run_at: datetime | None = None,
) -> None:
    """Have a notification sent to a device, as the work of a workspace."""
    payload = msgspec.to_builtins(_Sending(device_id, notification, attempt))
    key = f"{JOB}:{device_id.hex}:{notification.id.hex}:{attempt}"
    await jobs.enqueue(db, JOB, payload, unique_key=key, run_at=run_at, workspace_id=workspace_id)


_SENT: Final = "update push_device set sent_at = now(), failing_since = null, error = null where id = $1"
_FORGET: Final = "delete from push_device where id = $1"
_FORGET_FAILING: Final = f"""
delete from push_device where id = $1 and failing_since < now() - interval '{FAILING_DAYS} days' returning true
"""  # noqa: S608 - a constant
_NOTE: Final = "update push_device set failing_since = coalesce(failing_since, now()), error = $2 where id = $1"


async def run(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Try once to hand a notification to the push service; later attempts are jobs of their own."""
    sending = msgspec.convert(payload, _Sending)
    if clock.now() - sending.notification.at > LIFE:
        return
    async with lease.transaction() as db:
        subscription = await queries.subscription_of(db, context.keys, sending.device_id)
    if subscription is None:
        return
    result = await deliver(context, subscription, sending.notification)
    async with lease.transaction() as db:
        await _settle(db, sending, result, lease.workspace_id)


class Result(Struct, frozen=True):
    """What became of an attempt. `wait_seconds`: the service asks to try again, not before."""

    outcome: Literal["sent", "gone", "refused", "later"]
    error: str | None = None
    wait_seconds: float = 0.0


async def deliver(context: AppContext, subscription: Subscription, notification: Notification) -> Result:
    """Encrypt a notification and hand it to the push service."""
    headers, body = await asyncio.to_thread(_message, context, subscription, notification)
    try:
        response = await context.http.push.request(
            "POST", subscription.endpoint, headers=headers, data=body, timeout_seconds=_TIMEOUT_SECONDS,
            bytes_max=4_096, truncate=True,
        )  # fmt: skip
    except UnsafeUrl as unsafe:
        return Result("later" if isinstance(unsafe, UnknownHost) else "refused", unsafe.detail)
    except HttpFailure as failure:
        return Result("later", failure.detail)
    return result_of(response)


def _message(
    context: AppContext, subscription: Subscription, notification: Notification
) -> tuple[dict[str, str], bytes]:
    now = clock.now()
    audience = parse_url(subscription.endpoint).base_url
    expires_at = int(now.timestamp()) + _TOKEN_SECONDS
    headers = {
        "Authorization": encryption.authorization(context.keys, audience, subject_of(context), expires_at),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(max(0, round((notification.at + LIFE - now).total_seconds()))),
        "Topic": notification.topic,
        "Urgency": notification.urgency,
    }
    return headers, encryption.encrypt(notification.body(), subscription.point, subscription.auth)


def result_of(response: Response) -> Result:
    """Return what an answer of a push service means."""
    status = response.status
    if 200 <= status < 300:
        return Result("sent")
    if status in (404, 410):
        return Result("gone")
    reason = f"answered {status}: {' '.join(response.text.split())}".removesuffix(": ")[:_ERROR_MAX].replace("\0", "")
    if status == 429 or status >= 500:
        return Result("later", reason, wait_seconds(response) or 0.0)
    return Result("refused", reason)


async def _settle(db: Db, sending: _Sending, result: Result, workspace_id: UUID | None) -> None:
    device_id, notification = sending.device_id, sending.notification
    match result.outcome:
        case "sent":
            await db.execute(_SENT, device_id)
            return
        case "gone":
            await db.execute(_FORGET, device_id)
            _logger.info("push.device_gone", device=ids.encode("psh", device_id))
            return
        case "later" if sending.attempt <= len(RETRY_SECONDS):
            wait = max(RETRY_SECONDS[sending.attempt - 1], result.wait_seconds)
            run_at = clock.now() + clock.seconds(wait)
            if run_at - notification.at <= LIFE:
                attempt = sending.attempt + 1
                await enqueue(
                    db, device_id, notification, workspace_id=workspace_id, attempt=attempt, run_at=run_at
                )  # fmt: skip
                await db.execute(_NOTE, device_id, result.error)
                return
    _logger.warning("push.refused", device=ids.encode("psh", device_id), reason=result.error)
    if await db.fetchval(_FORGET_FAILING, device_id):
        return
    await db.execute(_NOTE, device_id, result.error)


def subject_of(context: AppContext) -> str:
    """Return whom the operator of a push service can ask. Apple refuses addresses that nobody could reach."""
    url = context.fixed_url
    if url.startswith("https://"):
        return parse_url(url).base_url
    address = parseaddr(context.settings.mail_from)[1]
    return f"mailto:{address}"
