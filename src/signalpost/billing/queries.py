"""Rows of subscriptions and of notifications."""

from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.billing.states import Interval, State, Status
from signalpost.kit import batches, clock
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader

KEEP_EVENTS_DAYS: Final = 90
"""Stripe sends a notification again for three days."""


class SubscriptionRow(Struct):
    """What a workspace has at Stripe, as it was read last."""

    workspace_id: UUID
    customer_id: str
    remote_id: str | None = None
    status: Status = "none"
    plan: str | None = None
    interval: Interval | None = None
    period_start: datetime | None = None
    period_end: datetime | None = None
    cancel_at_period_end: bool = False
    trial_ends_at: datetime | None = None
    grace_ends_at: datetime | None = None
    pending_plan: str | None = None
    pending_interval: Interval | None = None
    pending_at: datetime | None = None
    confirm_plan: str | None = None
    confirm_interval: Interval | None = None
    confirm_url: str | None = None
    confirm_expires_at: datetime | None = None
    card_brand: str | None = None
    card_last4: str | None = None
    card_exp_month: int | None = None
    card_exp_year: int | None = None
    plan_in_force: str | None = None
    checkout_id: str | None = None
    payer_id: UUID | None = None
    payer_name: str | None = None
    payer_left_at: datetime | None = None
    closed_at: datetime | None = None
    read_at: datetime | None = None
    version: int = 0

    @property
    def stray_since(self) -> datetime | None:
        """Since when nothing may be charged: the workspace is deleted, or belongs to another person than the card."""
        return min(filter(None, (self.closed_at, self.payer_left_at)), default=None)

    def is_paid_by(self, user_id: UUID) -> bool:
        """Whether this user's card pays; where nobody knows whose it is, it is that of the owner."""
        return self.payer_id in (None, user_id)


_COLUMNS: Final = columns(
    SubscriptionRow, "s", payer_name="(select coalesce(u.name, u.email) from app_user u where u.id = s.payer_id)"
)
_read: Final = reader(SubscriptionRow)
_OF_WORKSPACE: Final = f"select {_COLUMNS} from subscription s where s.workspace_id = $1"  # noqa: S608 - columns of a struct
_OF_CUSTOMER: Final = f"select {_COLUMNS} from subscription s where s.customer_id = $1"  # noqa: S608 - columns of a struct
_LOCKED: Final = f"select {_COLUMNS} from subscription s where s.workspace_id = $1 for update"  # noqa: S608 - columns of a struct
_SET_CUSTOMER: Final = """
insert into subscription as s (workspace_id, customer_id, payer_id) values ($1, $2, $4)
on conflict (workspace_id) do update set customer_id = excluded.customer_id, payer_id = excluded.payer_id,
    payer_left_at = null, checkout_id = null, version = s.version + 1
    where s.customer_id = $3
"""
_LEAVE_CUSTOMER: Final = """
insert into billing_former_customer (customer_id, workspace_id, left_at)
select customer_id, workspace_id, $3 from subscription where workspace_id = $1 and customer_id = $2
on conflict (customer_id) do nothing
"""
_WRITE: Final = """
update subscription set remote_id = $2, status = $3, plan = $4, interval = $5, period_start = $6, period_end = $7,
    cancel_at_period_end = $8, trial_ends_at = $9, grace_ends_at = $10, pending_plan = $11, pending_interval = $12,
    pending_at = $13, card_brand = $14, card_last4 = $15, card_exp_month = $16, card_exp_year = $17,
    plan_in_force = $18, version = version + 1, read_at = $19, confirm_plan = $20, confirm_interval = $21,
    confirm_url = $22, confirm_expires_at = $23
where workspace_id = $1
"""
_SET_CHECKOUT: Final = """
update subscription set checkout_id = $2, checkout_at = $4, payer_id = coalesce(payer_id, $5), version = version + 1
where workspace_id = $1 and checkout_id is not distinct from $3 and status in ('none', 'expired')
returning true
"""
_CLEAR_CHECKOUT: Final = "update subscription set checkout_id = null where workspace_id = $1 and checkout_id = $2"
_SEEN: Final = "select exists (select from billing_event where id = $1)"
_NOTE: Final = """
insert into billing_event (id, workspace_id, type) values ($1, $2, $3) on conflict (id) do nothing returning true
"""
_PURGE: Final = batches.delete("billing_event", f"received_at < now() - interval '{KEEP_EVENTS_DAYS} days'")
# Those whose period or grace is over. A notification has said so already, unless it could not arrive.
_OUTDATED: Final = """
select workspace_id, customer_id from subscription
where status in ('trialing', 'active', 'past_due', 'cancelled')
    and coalesce(grace_ends_at, period_end) < $1
    and case when plan_in_force = 'free' and status = 'past_due'  -- perhaps it is paid by now
        then read_at < $1::timestamptz - interval '6 hours'
        else read_at < $1::timestamptz - interval '1 hour' or grace_ends_at < $1 end
    and ($2::uuid is null or workspace_id > $2)
order by workspace_id limit $3
"""


# Pages that are open, or were: each is read ever more seldom, the last time when it can no longer be paid.
_OPEN_PAGES: Final = """
select s.workspace_id, s.customer_id from subscription s left join billing_handover h using (workspace_id)
where (s.checkout_id is not null and s.status in ('none', 'expired')
        and coalesce(s.read_at < s.checkout_at + interval '25 hours', true)  -- pages are open for 24 hours
        and greatest(s.read_at, s.checkout_at)
            < $1::timestamptz - greatest(interval '2 minutes', ($1 - s.checkout_at) / 4)
    or h.checkout_id is not null and h.expires_at > $1 and coalesce(s.read_at < $1 - interval '10 minutes', true)
    or s.confirm_url is not null and s.read_at < $1 - interval '10 minutes')  -- read away once it has expired
    and ($2::uuid is null or s.workspace_id > $2)
order by s.workspace_id limit $3
"""


async def find(db: Db, workspace_id: UUID, *, lock: bool = False) -> SubscriptionRow | None:
    """Return the row of a workspace; None if it never wanted to buy anything."""
    record = await db.fetchrow(_LOCKED if lock else _OF_WORKSPACE, workspace_id)
    return _read(record) if record else None


async def of_customer(db: Db, customer_id: str) -> SubscriptionRow | None:
    """Return the row of a customer; None if it is not one of ours."""
    record = await db.fetchrow(_OF_CUSTOMER, customer_id)
    return _read(record) if record else None


async def set_customer(
    db: Db, workspace_id: UUID, customer_id: str, *, replaced: str | None, payer_id: UUID, now: datetime
) -> None:
    """Write which customer a workspace is and who pays, unless it is another one than `replaced` already."""
    if replaced is not None:
        await db.execute(_LEAVE_CUSTOMER, workspace_id, replaced, now)
    await db.execute(_SET_CUSTOMER, workspace_id, customer_id, replaced, payer_id)


async def write(db: Db, workspace_id: UUID, state: State) -> None:
    """Write what was read."""
    pending, card, confirmation = state.pending, state.card, state.confirmation
    await db.execute(
        _WRITE, workspace_id, state.remote_id, state.status, state.plan, state.interval, state.period_start,
        state.period_end, state.cancel_at_period_end, state.trial_ends_at, state.grace_ends_at,
        pending and pending.plan, pending and pending.interval, pending and pending.at,
        card and card.brand, card and card.last4, card and card.exp_month, card and card.exp_year,
        state.plan_in_force, clock.now(),
        confirmation and confirmation.plan, confirmation and confirmation.interval,
        confirmation and confirmation.url, confirmation and confirmation.expires_at,
    )  # fmt: skip


async def set_checkout(
    db: Db, workspace_id: UUID, checkout_id: str, *, seen: str | None, now: datetime, payer_id: UUID
) -> bool:
    """Note the payment page that was opened; False if another one was meanwhile, or something was bought."""
    return await db.fetchval(_SET_CHECKOUT, workspace_id, checkout_id, seen, now, payer_id) is not None


async def clear_checkout(db: Db, workspace_id: UUID, checkout_id: str) -> None:
    """Note that a payment page is closed."""
    await db.execute(_CLEAR_CHECKOUT, workspace_id, checkout_id)


async def is_seen(db: Db, event_id: str) -> bool:
    """Whether a notification was acted upon."""
    seen: bool = await db.fetchval(_SEEN, event_id)
    return seen


async def note(db: Db, event_id: str, workspace_id: UUID, kind: str) -> bool:
    """Note that a notification is acted upon in this transaction; False if it was before."""
    return await db.fetchval(_NOTE, event_id, workspace_id, kind) is not None


async def purge_events(db: Db) -> bool:
    """Forget notifications that Stripe sends no more, a batch of them; return whether to repeat."""
    return await batches.run(db, [_PURGE])


async def outdated(db: Db, now: datetime, *, after: UUID | None, limit: int) -> list[tuple[UUID, str]]:
    """Return workspaces, with their customers, whose subscription has to be read again."""
    return [(row[0], row[1]) for row in await db.fetch(_OUTDATED, now, after, limit)]


async def open_pages(db: Db, now: datetime, *, after: UUID | None, limit: int) -> list[tuple[UUID, str]]:
    """Return workspaces, with their customers, where a page may have been completed without a notification."""
    return [(row[0], row[1]) for row in await db.fetch(_OPEN_PAGES, now, after, limit)]
