"""Write deliveries: of an event, of a test, and again on request. The engine sends them."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.engine.wake import wake_sql
from signalpost.events import PublicEvent
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db, Row
from signalpost.web.fields import DeliveryId
from signalpost.webhooks import views
from signalpost.webhooks.actions.wake import wake_now
from signalpost.webhooks.queries import DELIVERY_COLUMNS, WebhookRow, read_delivery
from signalpost.webhooks.schemas import Delivery, TestData

TEST_EVENT = "webhook.test"

_ACTIVE = """
select id, workspace_id, mode, events, profile_ids from webhook where workspace_id = any($1) and status = 'active'
"""
LISTENING = """
exists (select from webhook where workspace_id = {workspace_id} and mode = {mode} and status = 'active'
    and events @> array[{type}] and (profile_ids is null or profile_ids @> array[{profile_id}]))
"""
"""Whether any active webhook receives such an event: a condition for `AppContext.subscribe`."""
_WAKE = wake_sql("delivery", keys="w.keys", workspace_id="w.workspace_id", due="w.due")
_INSERT = f"""
with written as (
    insert into delivery (id, workspace_id, webhook_id, event_id, type, body, next_attempt_at)
    select id, workspace_id, webhook_id, event_id, type, body, now()
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bytea[])
        as w(id, workspace_id, webhook_id, event_id, type, body)
    returning workspace_id, webhook_id, next_attempt_at
)
select {_WAKE} from (
    select workspace_id, array_agg(webhook_id) as keys, array_agg(next_attempt_at) as due
    from written group by workspace_id order by workspace_id
) w
"""  # noqa: S608 - constants only
_BY_ID = f"select {DELIVERY_COLUMNS} from delivery where id = $1"  # noqa: S608 - constants only
_RESEND = f"""
update delivery set resend_at = now()
where workspace_id = $1 and webhook_id = $2 and id = $3 and state <> 'pending'
    and exists (select from webhook w where w.id = $2 and w.status = 'active')
returning {DELIVERY_COLUMNS}
"""  # noqa: S608 - constants only
_STATE = "select state from delivery where workspace_id = $1 and webhook_id = $2 and id = $3"


class NewDelivery(NamedTuple):
    """A delivery to be written, in the order of the insert's parameters."""

    id: UUID
    workspace_id: UUID
    webhook_id: UUID
    event_id: UUID
    type: str
    body: bytes


async def record_events(db: Db, emitted: Sequence[PublicEvent]) -> None:
    """Write one delivery, due now, for each event and each active webhook that receives it.

    It is part of the transaction that emits the events, and costs one short read if there is no such webhook.
    """
    webhooks = await db.fetch(_ACTIVE, list({event.workspace_id for event in emitted}))
    if webhooks:
        await _insert(db, [delivery for event in emitted for delivery in _deliveries(event, webhooks)])


def _deliveries(event: PublicEvent, webhooks: Sequence[Row]) -> list[NewDelivery]:
    webhook_ids = [
        webhook_id
        for webhook_id, workspace_id, mode, types, profile_ids in webhooks
        if (workspace_id, mode) == (event.workspace_id, event.mode)
        and event.type in types
        and (profile_ids is None or event.profile_id in profile_ids)
    ]
    return _new_deliveries(event.workspace_id, webhook_ids, event.type, event.at, event.data) if webhook_ids else []


async def send_test(db: Db, webhook: WebhookRow) -> Delivery:
    """Write a delivery of type webhook.test, which is signed, sent and retried like any other.

    Raises:
        InvalidState: the webhook is not active.
    """
    if webhook.status != "active":
        raise _inactive(webhook)
    data = TestData(webhook_id=ids.encode("whk", webhook.id))
    written = _new_deliveries(webhook.workspace_id, [webhook.id], TEST_EVENT, clock.now(), data)
    await _insert(db, written)
    [record] = await db.fetch(_BY_ID, written[0].id)
    return views.delivery(read_delivery(record))


async def resend(db: Db, webhook: WebhookRow, delivery_id: UUID) -> Delivery:
    """Request one extra attempt, now, with the same id and bytes. The schedule does not change.

    Raises:
        NotFound: the webhook has no such delivery.
        InvalidState: the webhook is not active, or an attempt of the schedule is under way or due now.
    """
    await wake_now(db, webhook)
    record = await db.fetchrow(_RESEND, webhook.workspace_id, webhook.id, delivery_id)
    if record is not None:
        return views.delivery(read_delivery(record))
    if await db.fetchval(_STATE, webhook.workspace_id, webhook.id, delivery_id) is None:
        raise problems.NotFound(DeliveryId.not_found_detail(ids.encode("dlv", delivery_id)))
    if webhook.status != "active":
        raise _inactive(webhook)
    raise problems.InvalidState("This delivery is pending: an attempt is under way or is due now.")


def envelope(delivery_id: UUID, event_type: str, at: datetime, data: bytes) -> bytes:
    """Return the body of a delivery: id, type, createdAt and data. It is stored, and sent as it is by every attempt.

    Args:
        delivery_id: becomes `id`.
        event_type: such as post.published.
        at: when the event happened.
        data: the event's data as JSON.
    """
    return msgspec.json.encode(
        {
            "id": ids.encode("dlv", delivery_id),
            "type": event_type,
            "createdAt": clock.wire(at),
            "data": msgspec.Raw(data),
        }
    )


def _new_deliveries(
    workspace_id: UUID, webhook_ids: Sequence[UUID], event_type: str, at: datetime, data: Struct
) -> list[NewDelivery]:
    """Return one delivery of the same event for each webhook."""
    encoded, event_id = msgspec.json.encode(data), ids.new_id()
    return [
        NewDelivery(delivery_id, workspace_id, webhook_id, event_id, event_type, body)
        for webhook_id in webhook_ids
        for delivery_id in (ids.new_id(),)
        for body in (envelope(delivery_id, event_type, at, encoded),)
    ]


async def _insert(db: Db, deliveries: Sequence[NewDelivery]) -> None:
    """Write the deliveries in one statement and wake their lanes."""
    if deliveries:
        await db.execute(_INSERT, *zip(*deliveries, strict=True))


def _inactive(webhook: WebhookRow) -> problems.InvalidState:
    return problems.InvalidState(f"This webhook is {webhook.status}. Set active to true first.")
