"""Reads. A caller limited to profiles sees the webhooks that are limited to some of these."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.paging import Page
from signalpost.webhooks.schemas import Delivery, DeliveryDetail, Webhook, WebhookWithSecret
from signalpost.webhooks.states import DeliveryState, Mode, WebhookStatus

COLUMNS = """id, workspace_id, url, events, name, description, profile_ids, delivery_mode, status, disabled_reason,
    consecutive_failures, last_success_at, last_failure_at, created_at, updated_at"""
"""In the order of `WebhookRow`."""

DELIVERY_COLUMNS = """id, webhook_id, event_id, type, state, attempts, next_attempt_at, resend_at, last_attempt_at,
    last_status, last_error, last_response, last_duration_ms, created_at, delivered_at"""
"""In the order of `DeliveryRow`."""


class WebhookRow(Struct):
    """A webhook that is not deleted, without its secrets."""

    id: UUID
    workspace_id: UUID
    url: str
    events: list[str]
    name: str | None
    description: str | None
    profile_ids: list[UUID] | None
    delivery_mode: Mode
    status: WebhookStatus
    disabled_reason: str | None
    consecutive_failures: int
    last_success_at: datetime | None
    last_failure_at: datetime | None
    created_at: datetime
    updated_at: datetime

    def shown(self) -> Webhook:
        """Return the webhook as the API answers it."""
        return Webhook(**self._fields())

    def shown_once(self, secret: str) -> WebhookWithSecret:
        """Return the answer that shows the secret."""
        return WebhookWithSecret(**self._fields(), secret=secret)

    def _fields(self) -> dict[str, Any]:
        return {
            "id": ids.encode("whk", self.id),
            "url": self.url,
            "events": self.events,
            "name": self.name,
            "profile_ids": None if self.profile_ids is None else [ids.encode("prof", one) for one in self.profile_ids],
            "delivery_mode": self.delivery_mode,
            "active": self.status == "active",
            "status": self.status,
            "disabled_reason": self.disabled_reason,
            "consecutive_failures": self.consecutive_failures,
            "last_success_at": clock.wire_or_none(self.last_success_at),
            "last_failure_at": clock.wire_or_none(self.last_failure_at),
            "description": self.description,
            "created_at": clock.wire(self.created_at),
            "updated_at": clock.wire(self.updated_at),
        }


class DeliveryRow(Struct):
    """One delivery, without its body and log."""

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

    def shown(self) -> Delivery:
        """Return the delivery as the API answers it."""
        return Delivery(**self._fields())

    def shown_whole(self, body: bytes, log: list[dict[str, Any]]) -> DeliveryDetail:
        """Return the answer with body and attempts."""
        return DeliveryDetail(**self._fields(), body=body.decode(), attempt_log=log)

    def _fields(self) -> dict[str, Any]:
        return {
            "id": ids.encode("dlv", self.id),
            "webhook_id": ids.encode("whk", self.webhook_id),
            "event_id": ids.encode("evt", self.event_id),
            "type": self.type,
            "state": self.state,
            "attempts": self.attempts,
            "next_attempt_at": clock.wire_or_none(self.next_attempt_at),
            "resend_at": clock.wire_or_none(self.resend_at),
            "last_attempt_at": clock.wire_or_none(self.last_attempt_at),
            "last_status": self.last_status,
            "last_error": self.last_error,
            "last_response": self.last_response,
            "last_duration_ms": self.last_duration_ms,
            "created_at": clock.wire(self.created_at),
            "delivered_at": clock.wire_or_none(self.delivered_at),
        }


_MINE = f"""
select {COLUMNS} from webhook
where workspace_id = $1 and ($2::uuid[] is null or profile_ids <@ $2) and deleted_at is null
"""  # noqa: S608 - constants only
_BY_ID = _MINE + "and id = $3"
_LOCK = _BY_ID + " for no key update"
_VISIBLE = (
    _MINE
    + """
and ($3::timestamptz is null or (created_at, id) < ($3, $4)) order by created_at desc, id desc limit $5
"""
)
_DELIVERIES = f"""
select {DELIVERY_COLUMNS} from delivery
where workspace_id = $1 and webhook_id = $2 and ($3::text is null or state = $3) and ($4::text is null or type = $4)
and ($5::timestamptz is null or (created_at, id) < ($5, $6)) order by created_at desc, id desc limit $7
"""  # noqa: S608 - constants only
_DELIVERY = f"""
select {DELIVERY_COLUMNS}, body, log from delivery where workspace_id = $1 and webhook_id = $2 and id = $3
"""  # noqa: S608 - constants only


async def find_mine(db: Db, caller: Caller, webhook_id: UUID) -> WebhookRow | None:
    """Return the webhook if this caller may see it."""
    row = await db.fetchrow(_BY_ID, caller.workspace_id, caller.sees_profiles, webhook_id)
    return None if row is None else WebhookRow(*row)


async def lock(db: Db, caller: Caller, webhook_id: UUID) -> WebhookRow | None:
    """Return the webhook as it is now, and keep others from changing it until the transaction ends."""
    row = await db.fetchrow(_LOCK, caller.workspace_id, caller.sees_profiles, webhook_id)
    return None if row is None else WebhookRow(*row)


async def visible(db: Db, caller: Caller, page: Page) -> list[WebhookRow]:
    """Return the caller's webhooks, newest first."""
    rows = await db.fetch(_VISIBLE, caller.workspace_id, caller.sees_profiles, page.after_at, page.after_id, page.fetch)
    return [WebhookRow(*row) for row in rows]


async def deliveries(
    db: Db, webhook: WebhookRow, page: Page, *, state: str | None, type_: str | None
) -> list[DeliveryRow]:
    """Return the webhook's deliveries, newest first."""
    rows = await db.fetch(
        _DELIVERIES, webhook.workspace_id, webhook.id, state, type_, page.after_at, page.after_id, page.fetch
    )
    return [DeliveryRow(*row) for row in rows]


async def delivery(db: Db, webhook: WebhookRow, delivery_id: UUID) -> DeliveryDetail | None:
    """Return one delivery with body and attempts."""
    row = await db.fetchrow(_DELIVERY, webhook.workspace_id, webhook.id, delivery_id)
    if row is None:
        return None
    *columns, body, log = row
    return DeliveryRow(*columns).shown_whole(body, log)
