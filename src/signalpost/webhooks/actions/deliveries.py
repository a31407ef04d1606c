"""Write deliveries: of an event, of a test, and again on request. The engine sends them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.engine.wake import wake_sql
from signalpost.events import PublicEvent
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.webhooks import views
from signalpost.webhooks.actions.wake import wake_now
from signalpost.webhooks.queries import DELIVERY_COLUMNS, WebhookRow, read_delivery
from signalpost.webhooks.schemas import Delivery, TestData

TEST_EVENT = "webhook.test"

_SUBSCRIBED = """
select id from webhook
where workspace_id = $1 and status = 'active' and events @> array[$2::text]
    and (profile_ids is null or profile_ids @> array[$3::uuid])
"""
_WAKE = wake_sql("delivery", keys="array_agg(webhook_id)", workspace_id="$1", due="array_agg(next_attempt_at)")
_INSERT = f"""
with written as (
    insert into delivery (id, workspace_id, webhook_id, event_id, type, body, next_attempt_at)
    select w.id, $1, w.webhook_id, $2, $3, w.body, now()
    from unnest($4::uuid[], $5::uuid[], $6::bytea[]) as w(id, webhook_id, body)
    returning webhook_id, next_attempt_at
)
select {_WAKE} from written
"""  # noqa: S608 - constants only
_BY_ID = f"select {DELIVERY_COLUMNS} from delivery where id = $1"  # noqa: S608 - constants only
_RESEND = f"""
update delivery set resend_at = now()
where workspace_id = $1 and webhook_id = $2 and id = $3 and state <> 'pending'
    and exists (select from webhook w where w.id = $2 and w.status = 'active')
returning {DELIVERY_COLUMNS}
"""  # noqa: S608 - constants only
_STATE = "select state from delivery where workspace_id = $1 and webhook_id = $2 and id = $3"


async def record_event(db: Db, event: PublicEvent) -> None:
    """Write one delivery, due now, for each active webhook that receives this event.

    It is part of the transaction that emits the event, and costs one short read if there is no such webhook.
    """
    webhook_ids = [row[0] for row in await db.fetch(_SUBSCRIBED, event.workspace_id, event.type, event.profile_id)]
    if webhook_ids:
        await _insert(db, event.workspace_id, webhook_ids, event.type, event.at, event.data)


async def send_test(db: Db, webhook: WebhookRow) -> Delivery:
    """Write a delivery of type webhook.test, which is signed, sent and retried like any other.

    Raises:
        InvalidState: the webhook is not active.
    """
    if webhook.status != "active":
        raise _inactive(webhook)
    data = TestData(webhook_id=ids.encode("whk", webhook.id))
    [delivery_id] = await _insert(db, webhook.workspace_id, [webhook.id], TEST_EVENT, clock.now(), data)
    [record] = await db.fetch(_BY_ID, delivery_id)
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
        raise problems.NotFound
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


async def _insert(
    db: Db, workspace_id: UUID, webhook_ids: Sequence[UUID], event_type: str, at: datetime, data: Struct
) -> list[UUID]:
    """Write one delivery of the same event for each webhook, wake their lanes, return the deliveries' ids."""
    encoded = msgspec.json.encode(data)
    delivery_ids = [ids.new_id() for _ in webhook_ids]
    bodies = [envelope(delivery_id, event_type, at, encoded) for delivery_id in delivery_ids]
    await db.execute(_INSERT, workspace_id, ids.new_id(), event_type, delivery_ids, webhook_ids, bodies)
    return delivery_ids


def _inactive(webhook: WebhookRow) -> problems.InvalidState:
    return problems.InvalidState(f"This webhook is {webhook.status}. Set active to true first.")
