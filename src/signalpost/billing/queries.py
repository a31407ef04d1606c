"""Subscriptions as they were read last, which of them have to be read again, and who pays."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.billing.states import Interval, Status
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_one, reader


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
_SEEN: Final = "select exists (select from billing_event where id = $1)"
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
    return await read_one(db, _read, _LOCKED if lock else _OF_WORKSPACE, workspace_id)


async def of_customer(db: Db, customer_id: str) -> SubscriptionRow | None:
    """Return the row of a customer; None if it is not one of ours."""
    return await read_one(db, _read, _OF_CUSTOMER, customer_id)


async def is_seen(db: Db, event_id: str) -> bool:
    """Whether a notification was acted upon."""
    seen: bool = await db.fetchval(_SEEN, event_id)
    return seen


async def outdated(db: Db, now: datetime, *, after: UUID | None, limit: int) -> list[tuple[UUID, str]]:
    """Return workspaces, with their customers, whose subscription has to be read again."""
    return [(row[0], row[1]) for row in await db.fetch(_OUTDATED, now, after, limit)]


async def open_pages(db: Db, now: datetime, *, after: UUID | None, limit: int) -> list[tuple[UUID, str]]:
    """Return workspaces, with their customers, where a page may have been completed without a notification."""
    return [(row[0], row[1]) for row in await db.fetch(_OPEN_PAGES, now, after, limit)]


class HandoverRow(Struct):
    """Someone who will pay; with `moves_ownership` the workspace becomes theirs then."""

    workspace_id: UUID
    user_id: UUID
    offered_by: UUID
    moves_ownership: bool
    checkout_id: str | None
    expires_at: datetime
    name: str


class Payment(Struct, frozen=True):
    """An invoice that was paid, and when it was written; the amount in minor units."""

    invoice_id: str
    amount: int
    currency: str
    invoiced_at: datetime


_HANDOVER_COLUMNS: Final = columns(
    HandoverRow, "h", name="(select coalesce(u.name, u.email) from app_user u where u.id = h.user_id)"
)
_read_handover: Final = reader(HandoverRow)
_HANDOVER: Final = f"select {_HANDOVER_COLUMNS} from billing_handover h where h.workspace_id = $1 and h.expires_at > $2"  # noqa: S608 - columns of a struct
_FORMER: Final = "select workspace_id, left_at from billing_former_customer where customer_id = $1"
_KNOWN_PAYMENTS: Final = "select invoice_id from billing_payment where invoice_id = any($1::text[])"


async def find_handover(db: Db, workspace_id: UUID, now: datetime) -> HandoverRow | None:
    """Return who takes the payments over, if someone does."""
    return await read_one(db, _read_handover, _HANDOVER, workspace_id, now)


async def former_customer(db: Db, customer_id: str) -> tuple[UUID, datetime] | None:
    """Return the workspace that a customer was once, and until when."""
    record = await db.fetchrow(_FORMER, customer_id)
    return (record[0], record[1]) if record else None


async def known_payments(db: Db, payments: Iterable[Payment]) -> set[str]:
    """Return which of these payments were noted before: they were right, or are given back already."""
    return {row[0] for row in await db.fetch(_KNOWN_PAYMENTS, [payment.invoice_id for payment in payments])}
