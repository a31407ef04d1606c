"""Write deliveries: of an event, of a test, and again on request. The engine sends them."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from signalpost.engine.wake import wake_sql
from signalpost.events import PUBLIC_EVENTS, PostData, PublicEvent
from signalpost.kit import clock, ids, issue_text, problems, rows
from signalpost.kit.db import Db, Row
from signalpost.web.fields import DeliveryId
from signalpost.webhooks import views
from signalpost.webhooks.actions.wake import wake_now
from signalpost.webhooks.queries import DELIVERY_COLUMNS, DeliveryRow, WebhookRow, read_delivery
from signalpost.webhooks.schemas import Delivery, TestData, WebhookTest
from signalpost.webhooks.states import MISSED_DAYS, DeliveryMode, DeliveryState, WebhookStatus

TEST_EVENT = "webhook.test"

_RECORDING = f"(status = 'active' or stopped_at > now() - interval '{MISSED_DAYS} days')"
# The number is taken while the caller holds the rows that it changes, posts among them: a later event has a larger one.
_RECEIVERS = f"""
with taken as materialized (select nextval('event_sequence') as sequence)
select id, workspace_id, mode, events, profile_ids, delivery_mode, status, taken.sequence
from webhook, taken where workspace_id = any($1) and {_RECORDING}
"""  # noqa: S608 - constants only
LISTENING = f"""
exists (select from webhook where workspace_id = {{workspace_id}} and mode = {{mode}} and {_RECORDING}
    and events @> array[{{type}}] and (profile_ids is null or profile_ids @> array[{{profile_id}}]))
"""
"""Whether any webhook receives or misses such an event: a condition for `AppContext.subscribe`."""
_WAKE = wake_sql("delivery", keys="w.keys", workspace_id="w.workspace_id", due="w.due")
_INSERT = f"""
with written as (
    insert into delivery (id, workspace_id, webhook_id, event_id, type, body, state, next_attempt_at)
    select id, workspace_id, webhook_id, event_id, type, body, state, case when sent then now() end
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bytea[], $7::text[], $8::bool[])
        as w(id, workspace_id, webhook_id, event_id, type, body, state, sent)
    returning workspace_id, webhook_id, next_attempt_at
)
select {_WAKE} from (
    select workspace_id, array_agg(webhook_id) as keys, array_agg(next_attempt_at) as due
    from written where next_attempt_at is not null group by workspace_id order by workspace_id
) w
"""  # noqa: S608 - constants only
_BY_ID = f"select {DELIVERY_COLUMNS} from delivery where id = $1"  # noqa: S608 - constants only
AGAIN = """
    resend_at = case when d.state <> 'skipped' and w.delivery_mode <> 'poll' then now() else d.resend_at end,
    next_attempt_at = case when d.state = 'skipped' and w.delivery_mode <> 'poll' then now() else d.next_attempt_at end,
    state = case when d.state = 'skipped' or w.delivery_mode = 'poll' then 'pending' else d.state end
"""
"""Send delivery `d` of webhook `w` again, as the `set` of an update. One that was skipped begins its schedule."""
_RESEND = f"""
update delivery d set {AGAIN} from webhook w
where d.workspace_id = $1 and d.webhook_id = $2 and d.id = $3 and d.state <> 'pending'
    and w.id = $2 and w.status = 'active'
returning {rows.columns(DeliveryRow, "d")}
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
    state: DeliveryState
    sent: bool  # by the engine, now


class _Receiver(NamedTuple):
    """A webhook, and what becomes of an event there."""

    webhook_id: UUID
    state: DeliveryState
    sent: bool


async def record_events(db: Db, emitted: Sequence[PublicEvent]) -> None:
    """Write one delivery for each event and each webhook that receives it: due now, or skipped if the webhook stands.

    It is part of the transaction that emits the events, and costs one short read if there is no such webhook.
    """
    webhooks = await db.fetch(_RECEIVERS, list({event.workspace_id for event in emitted}))
    if webhooks:
        sequence: int = webhooks[0]["sequence"]
        numbered = enumerate(emitted, sequence)
        await _insert(db, [new for number, event in numbered for new in _deliveries(event, number, webhooks)])


def _deliveries(event: PublicEvent, sequence: int, webhooks: Sequence[Row]) -> list[NewDelivery]:
    receivers = [
        _receiver(webhook_id, delivery_mode, status)
        for webhook_id, workspace_id, mode, types, profile_ids, delivery_mode, status, _ in webhooks
        if (workspace_id, mode) == (event.workspace_id, event.mode)
        and event.type in types
        and (profile_ids is None or event.profile_id in profile_ids)
    ]
    if not receivers:
        return []
    data = replace(event.data, sequence=sequence) if isinstance(event.data, PostData) else event.data
    return _new_deliveries(event.workspace_id, receivers, event.type, event.at, data)


def _receiver(webhook_id: UUID, mode: DeliveryMode, status: WebhookStatus) -> _Receiver:
    if status != "active":
        return _Receiver(webhook_id, "skipped", sent=False)
    return _Receiver(webhook_id, "pending", sent=mode != "poll")


async def send_test(db: Db, webhook: WebhookRow, test: WebhookTest) -> Delivery:
    """Write a delivery of webhook.test, or of the example of an event: it is signed, sent and retried like any other.

    Raises:
        InvalidState: the webhook is not active.
        ValidationFailed: the type is unknown.
    """
    event_type = test.type or TEST_EVENT
    data: Struct = TestData(webhook_id=ids.encode("whk", webhook.id))
    if event_type != TEST_EVENT:
        if event_type not in PUBLIC_EVENTS:
            raise problems.ValidationFailed(
                errors=[issue_text.not_allowed("/type", event_type, [*PUBLIC_EVENTS, TEST_EVENT])]
            )
        data = next(iter(PUBLIC_EVENTS[event_type].examples.values()))
    if webhook.status != "active":
        raise inactive(webhook)
    receiver = _receiver(webhook.id, webhook.delivery_mode, webhook.status)
    written = _new_deliveries(webhook.workspace_id, [receiver], event_type, clock.now(), data)
    await _insert(db, written)
    [record] = await db.fetch(_BY_ID, written[0].id)
    return views.delivery(read_delivery(record))


async def resend(db: Db, webhook: WebhookRow, delivery_id: UUID) -> Delivery:
    """Request one extra attempt, now, with the same id and bytes. The schedule does not change.

    A skipped delivery becomes pending instead: it was never tried, so its schedule begins.

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
        raise inactive(webhook)
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
    workspace_id: UUID, receivers: Sequence[_Receiver], event_type: str, at: datetime, data: Struct
) -> list[NewDelivery]:
    """Return one delivery of the same event for each webhook."""
    encoded, event_id = msgspec.json.encode(data), ids.new_id()
    return [
        NewDelivery(delivery_id, workspace_id, receiver.webhook_id, event_id, event_type, body, *receiver[1:])
        for receiver in receivers
        for delivery_id in (ids.new_id(),)
        for body in (envelope(delivery_id, event_type, at, encoded),)
    ]


async def _insert(db: Db, deliveries: Sequence[NewDelivery]) -> None:
    """Write the deliveries in one statement and wake their lanes."""
    if deliveries:
        await db.execute(_INSERT, *zip(*deliveries, strict=True))


def inactive(webhook: WebhookRow) -> problems.InvalidState:
    """Return why nothing can be sent to this webhook."""
    return problems.InvalidState(f"This webhook is {webhook.status}. Set active to true first.")
