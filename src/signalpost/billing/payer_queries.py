"""Rows of who pays: handovers, customers that were left, and what was charged."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader


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


_COLUMNS: Final = columns(
    HandoverRow, "h", name="(select coalesce(u.name, u.email) from app_user u where u.id = h.user_id)"
)
_read: Final = reader(HandoverRow)
_FIND: Final = f"select {_COLUMNS} from billing_handover h where h.workspace_id = $1 and h.expires_at > $2"  # noqa: S608 - columns of a struct
_OFFER: Final = """
insert into billing_handover (workspace_id, user_id, offered_by, moves_ownership, expires_at)
values ($1, $2, $3, $4, $5)
on conflict (workspace_id) do update set user_id = excluded.user_id, offered_by = excluded.offered_by,
    moves_ownership = excluded.moves_ownership, checkout_id = null, expires_at = excluded.expires_at
"""
_SET_PAGE: Final = """
update billing_handover set checkout_id = $2
where workspace_id = $1 and user_id = $3 and checkout_id is not distinct from $4 returning true
"""
_END: Final = """
delete from billing_handover
where workspace_id = $1 and user_id = $2 and offered_by = $3 and checkout_id is not distinct from $4 returning true
"""
_MOVE: Final = """
update subscription set payer_id = coalesce(payer_id, $2), version = version + 1,
    payer_left_at = case when coalesce(payer_id, $2) = $3 then payer_left_at else coalesce(payer_left_at, $4) end
where workspace_id = $1
"""
_COME_BACK: Final = """
update subscription set payer_left_at = null, version = version + 1 where workspace_id = $1 and payer_id = $2
"""
_TAKE_OVER: Final = """
update subscription set payer_id = $2, payer_left_at = null, version = version + 1 where workspace_id = $1
"""
_CLOSE: Final = "update subscription set closed_at = $2, version = version + 1 where workspace_id = $1"
_FORMER: Final = "select workspace_id, left_at from billing_former_customer where customer_id = $1"
_NOTE: Final = """
insert into billing_payment (invoice_id, workspace_id, amount, currency, invoiced_at)
select p.invoice_id, $1, p.amount, p.currency, p.invoiced_at
from unnest($2::text[], $3::bigint[], $4::text[], $5::timestamptz[]) as p (invoice_id, amount, currency, invoiced_at)
on conflict (invoice_id) do nothing returning invoice_id
"""
_KNOWN: Final = "select invoice_id from billing_payment where invoice_id = any($1::text[])"
_REFUNDED: Final = """
update billing_payment set refunded_at = $2 where invoice_id = $1 and refunded_at is null returning true
"""


async def find_handover(db: Db, workspace_id: UUID, now: datetime) -> HandoverRow | None:
    """Return who takes the payments over, if someone does."""
    record = await db.fetchrow(_FIND, workspace_id, now)
    return _read(record) if record else None


async def offer(
    db: Db, workspace_id: UUID, user_id: UUID, offered_by: UUID, *, moves_ownership: bool, expires_at: datetime
) -> None:
    """Write who may take over; whoever was offered it before may no longer."""
    await db.execute(_OFFER, workspace_id, user_id, offered_by, moves_ownership, expires_at)


async def set_page(db: Db, row: HandoverRow, checkout_id: str) -> bool:
    """Note the page where the card is entered; False if another one was opened meanwhile, or the offer ended."""
    return await db.fetchval(_SET_PAGE, row.workspace_id, checkout_id, row.user_id, row.checkout_id) is not None


async def end_handover(db: Db, row: HandoverRow) -> bool:
    """End a handover as it was read; False if it changed since."""
    return await db.fetchval(_END, row.workspace_id, row.user_id, row.offered_by, row.checkout_id) is not None


async def move(db: Db, workspace_id: UUID, owner_id: UUID, successor_id: UUID, now: datetime) -> None:
    """Note that a workspace went to another owner: the card of the one before must not be charged any more.

    If it goes back to whose card it is, that stays so until what was charged meanwhile is read and given back.
    """
    await db.execute(_MOVE, workspace_id, owner_id, successor_id, now)


async def come_back(db: Db, workspace_id: UUID, user_id: UUID) -> None:
    """Note that the card of this payer may be charged again."""
    await db.execute(_COME_BACK, workspace_id, user_id)


async def take_over(db: Db, workspace_id: UUID, user_id: UUID) -> None:
    """Note whose card pays from now on."""
    await db.execute(_TAKE_OVER, workspace_id, user_id)


async def close(db: Db, workspace_id: UUID, at: datetime | None) -> None:
    """Note when the workspace was deleted; None: it is restored."""
    await db.execute(_CLOSE, workspace_id, at)


async def former_customer(db: Db, customer_id: str) -> tuple[UUID, datetime] | None:
    """Return the workspace that a customer was once, and until when."""
    record = await db.fetchrow(_FORMER, customer_id)
    return (record[0], record[1]) if record else None


async def note_payments(db: Db, workspace_id: UUID, payments: Iterable[Payment]) -> set[str]:
    """Write invoices that were paid; return the ids of those that were not known."""
    paid = list(payments)
    if not paid:
        return set()
    values = (
        [payment.invoice_id for payment in paid], [payment.amount for payment in paid],
        [payment.currency for payment in paid], [payment.invoiced_at for payment in paid],
    )  # fmt: skip
    return {row[0] for row in await db.fetch(_NOTE, workspace_id, *values)}


async def known_payments(db: Db, payments: Iterable[Payment]) -> set[str]:
    """Return which of these payments were noted before: they were right, or are given back already."""
    return {row[0] for row in await db.fetch(_KNOWN, [payment.invoice_id for payment in payments])}


async def note_refund(db: Db, invoice_id: str, now: datetime) -> bool:
    """Write that a payment was given back; False if it was noted before."""
    return await db.fetchval(_REFUNDED, invoice_id, now) is not None
