"""Reads of webhooks and deliveries. A caller limited to profiles sees only webhooks limited to some of those."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset
from signalpost.webhooks.schemas import DeliveryQuery
from signalpost.webhooks.states import DeliveryMode, DeliveryState, ReplayableState, WebhookStatus


class ReplayRow(Struct):
    """The JSON column `replay`: the latest replay of a webhook, which `actions.replay` writes.

    `after` and `before`: when the deliveries were made; `cursor`: up to which of them it has come.
    """

    after: datetime
    before: datetime
    types: list[str] | None
    states: list[ReplayableState]
    requested_at: datetime
    finished_at: datetime | None = None
    stopped: bool = False
    replayed: int = 0
    cursor_at: datetime | None = None
    cursor_id: UUID | None = None


class WebhookRow(Struct):
    """A webhook that is not deleted, without its secrets."""

    id: UUID
    workspace_id: UUID
    mode: Mode
    url: str
    events: list[str]
    name: str | None
    description: str | None
    profile_ids: list[UUID] | None
    delivery_mode: DeliveryMode
    status: WebhookStatus
    disabled_reason: str | None
    consecutive_failures: int
    last_success_at: datetime | None
    last_failure_at: datetime | None
    created_at: datetime
    updated_at: datetime
    previous_secret_until: datetime | None
    has_next_secret: bool
    stopped_at: datetime | None
    replay: ReplayRow | None


class DeliveryRow(Struct):
    """A delivery, without its body and log."""

    id: UUID
    webhook_id: UUID
    event_id: UUID
    type: str
    state: DeliveryState
    attempts: int
    next_attempt_at: datetime | None
    resend_at: datetime | None
    last_attempt_at: datetime | None
    last_status: int | None
    last_error: str | None
    last_response: str | None
    last_duration_ms: int | None
    created_at: datetime
    delivered_at: datetime | None


class LoggedAttempt(Struct):
    """An entry of the JSON column `log`, which `actions.results` writes."""

    at: datetime
    resend: bool
    status: int | None
    error: str | None
    duration_ms: int
    number: int | None = None  # attempts that older versions made have this and the following members not
    timestamp: int | None = None
    url: str | None = None
    response: str | None = None


class DeliveryDetailRow(DeliveryRow):
    """A delivery with its body and its latest 20 attempts."""

    body: bytes
    log: list[LoggedAttempt]


read_webhook = rows.reader(WebhookRow)
read_delivery = rows.reader(DeliveryRow)
_read_delivery_detail = rows.reader(DeliveryDetailRow)

WEBHOOK_COLUMNS = rows.columns(
    WebhookRow,
    previous_secret_until="case when former_secret_until > now() then former_secret_until end",  # noqa: S106 - SQL
    has_next_secret="next_secret is not null",  # noqa: S106 - SQL
)
DELIVERY_COLUMNS = rows.columns(DeliveryRow)

_VISIBLE = f"""
select {WEBHOOK_COLUMNS} from webhook
where workspace_id = $1 and ($2::uuid[] is null or profile_ids <@ $2) and ($3 or mode = 'test') and deleted_at is null
    and """  # noqa: S608
_BY_ID = _VISIBLE + "id = $4"
_LOCK = _BY_ID + " for no key update"
_LISTED = _VISIBLE + keyset("created_at", "id", first=4)
_DELIVERIES = f"""
select {DELIVERY_COLUMNS} from delivery
where workspace_id = $1 and webhook_id = $2 and ($3::text is null or state = $3) and ($4::text is null or type = $4)
    and {keyset("created_at", "id", first=5)}
"""  # noqa: S608 - constants only
_DELIVERY = f"""
select {rows.columns(DeliveryDetailRow)} from delivery where workspace_id = $1 and webhook_id = $2 and id = $3
"""  # noqa: S608 - constants only


def _visible_to(caller: Caller) -> tuple[UUID, list[UUID] | None, bool]:
    """Return the parameters of `_VISIBLE`: with a test key, live webhooks do not exist."""
    return caller.workspace_id, caller.sees_profiles, caller.mode == "live"


async def find_mine(db: Db, caller: Caller, webhook_id: UUID) -> WebhookRow | None:
    """Return the webhook if the caller may see it."""
    return await rows.read_one(db, read_webhook, _BY_ID, *_visible_to(caller), webhook_id)


async def lock_mine(db: Db, caller: Caller, webhook_id: UUID) -> WebhookRow | None:
    """Return the webhook as it is now, and keep others from changing it until the transaction ends."""
    return await rows.read_one(db, read_webhook, _LOCK, *_visible_to(caller), webhook_id)


async def listed(db: Db, caller: Caller, page: Page) -> list[WebhookRow]:
    """Return a page of the webhooks that the caller may see, newest first."""
    return await rows.read_all(db, read_webhook, _LISTED, *_visible_to(caller), *page.bounds)


async def deliveries(db: Db, webhook: WebhookRow, query: DeliveryQuery, page: Page) -> list[DeliveryRow]:
    """Return a page of the webhook's deliveries, newest first."""
    return await rows.read_all(
        db, read_delivery, _DELIVERIES, webhook.workspace_id, webhook.id, query.state, query.type, *page.bounds
    )


async def delivery(db: Db, webhook: WebhookRow, delivery_id: UUID) -> DeliveryDetailRow | None:
    """Return a delivery of the webhook, with body and attempts."""
    return await rows.read_one(db, _read_delivery_detail, _DELIVERY, webhook.workspace_id, webhook.id, delivery_id)
