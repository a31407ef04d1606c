"""Writing deliveries: of an event to those who listen, as a test, once more. Sending them is the engine's work."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.events import PublicEvent
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.webhooks.queries import DELIVERY_COLUMNS, DeliveryRow, WebhookRow
from signalpost.webhooks.schemas import Delivery, TestData

TEST = "webhook.test"

_LISTENING = """
select id from webhook
where workspace_id = $1 and status = 'active' and events @> array[$2::text]
    and (profile_ids is null or profile_ids @> array[$3::uuid])
"""
_INSERT = """
with written as (
    insert into delivery (id, workspace_id, webhook_id, event_id, type, body, next_attempt_at)
    select w.id, $1, w.webhook_id, $2, $3, w.body, now()
    from unnest($4::uuid[], $5::uuid[], $6::bytea[]) as w(id, webhook_id, body)
    returning webhook_id, next_attempt_at
)
select wake_lanes('delivery', array_agg(webhook_id), $1, array_agg(null::text), array_agg(next_attempt_at)) from written
"""
_BY_ID = f"select {DELIVERY_COLUMNS} from delivery where id = $1"  # noqa: S608 - constants only
_WAKE = "select wake_lanes('delivery', array[$1::uuid], $2, array[null::text], array[now()])"
_RESEND = f"""
update delivery set resend_at = now()
where workspace_id = $1 and webhook_id = $2 and id = $3 and state <> 'pending'
    and exists (select from webhook w where w.id = $2 and w.status = 'active')
returning {DELIVERY_COLUMNS}
"""  # noqa: S608 - constants only
_STATE = "select state from delivery where workspace_id = $1 and webhook_id = $2 and id = $3"


async def record_event(db: Db, event: PublicEvent) -> None:
    """Write one delivery for each active webhook that wants this event, due now.

    Stands in the transaction of every change that tells of itself: one short read where nobody listens.
    """
    rows = await db.fetch(_LISTENING, event.workspace_id, event.type, event.profile_id)
    if rows:
        await _write(db, event.workspace_id, [row[0] for row in rows], event.type, event.at, event.data)


async def send_test(db: Db, webhook: WebhookRow) -> Delivery:
    """Write a delivery of the type webhook.test, to be signed, sent and retried like any other.

    Raises:
        InvalidState: the webhook is not active.
    """
    if webhook.status != "active":
        raise _inactive(webhook)
    data = TestData(webhook_id=ids.encode("whk", webhook.id))
    (delivery_id,) = await _write(db, webhook.workspace_id, [webhook.id], TEST, clock.now(), data)
    row = await db.fetchrow(_BY_ID, delivery_id)
    return DeliveryRow(*row or ()).shown()


async def resend(db: Db, webhook: WebhookRow, delivery_id: UUID) -> Delivery:
    """Ask for one extra attempt, now, with the same id and bytes. The schedule stays as it is.

    Raises:
        InvalidState: the webhook is not active, or an attempt of the schedule is under way or due at once.
    """
    await db.execute(_WAKE, webhook.id, webhook.workspace_id)
    row = await db.fetchrow(_RESEND, webhook.workspace_id, webhook.id, delivery_id)
    if row is not None:
        return DeliveryRow(*row).shown()
    if await db.fetchval(_STATE, webhook.workspace_id, webhook.id, delivery_id) is None:
        raise problems.NotFound
    if webhook.status != "active":
        raise _inactive(webhook)
    raise problems.InvalidState("This delivery is pending: an attempt is under way, or comes at once.")


def envelope(delivery_id: UUID, kind: str, at: datetime, data: bytes) -> bytes:
    """Return the body of a delivery: exactly id, type, createdAt and data. Made once, then only stored and sent."""
    head = {"id": ids.encode("dlv", delivery_id), "type": kind, "createdAt": clock.wire(at), "data": msgspec.Raw(data)}
    return msgspec.json.encode(head)


async def _write(
    db: Db, workspace_id: UUID, webhook_ids: Sequence[UUID], kind: str, at: datetime, data: Struct
) -> list[UUID]:
    encoded = msgspec.json.encode(data)
    delivery_ids = [ids.new_id() for _ in webhook_ids]
    bodies = [envelope(delivery_id, kind, at, encoded) for delivery_id in delivery_ids]
    await db.execute(_INSERT, workspace_id, ids.new_id(), kind, delivery_ids, webhook_ids, bodies)
    return delivery_ids


def _inactive(webhook: WebhookRow) -> problems.InvalidState:
    return problems.InvalidState(f"This webhook is {webhook.status}. Set active to true first.")
