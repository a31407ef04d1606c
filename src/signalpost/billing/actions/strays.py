"""Charges that nobody wants: for a workspace that is deleted, or that belongs to another person than the card.

They are ended and given back, and staff see it. What nobody here knows may belong to another installation at the same
account, so it is shown and not touched.
"""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.audit.actions import record as audit
from signalpost.audit.documents import Change
from signalpost.billing import differences, queries, remote
from signalpost.billing.differences import Difference
from signalpost.billing.queries import Payment
from signalpost.billing.states import PAYING, Charged, Remote, status_of
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db

STRIPE: Final = Actor(type="system", id=None, name="Stripe")
_OWED: Final = ("past_due", "unpaid", "paused")
_log = log.get("billing")
_NOTE: Final = """
insert into billing_event (id, workspace_id, type) values ($1, $2, $3) on conflict (id) do nothing returning true
"""
_NOTE_PAYMENTS: Final = """
insert into billing_payment (invoice_id, workspace_id, amount, currency, invoiced_at)
select p.invoice_id, $1, p.amount, p.currency, p.invoiced_at
from unnest($2::text[], $3::bigint[], $4::text[], $5::timestamptz[]) as p (invoice_id, amount, currency, invoiced_at)
on conflict (invoice_id) do nothing returning invoice_id
"""
_REFUNDED: Final = """
update billing_payment set refunded_at = $2 where invoice_id = $1 and refunded_at is null returning true
"""


class Notification(NamedTuple):
    """An event of Stripe that was verified. Its contents are not used, except to see whom it may concern."""

    id: str
    type: str
    concerns_us: bool = False


async def end(
    context: AppContext,
    stripe: Stripe,
    remotes: list[Remote],
    charged: list[Payment],
    since: datetime,
    current_id: str | None = None,
) -> list[Payment]:
    """End what would be charged, and give back what was charged since; return what was given back. Safe to repeat.

    What was paid before runs out with its period: the subscription `current_id`, and payments that were noted.

    Raises:
        BillingNotConfigured, Unavailable: see `Stripe`.
    """
    second = since.replace(microsecond=0)  # Stripe counts in seconds
    async with context.database.connection() as db:
        noted = await queries.known_payments(db, charged)
    late = [payment for payment in charged if payment.invoiced_at >= second and payment.invoice_id not in noted]
    try:
        for subscription in remotes:
            if subscription.status not in PAYING:
                continue
            await remote.drop_confirmation(stripe, subscription)
            if (
                late
                or subscription.status in _OWED
                or (subscription.created_at >= second and subscription.id != current_id)
            ):
                await stripe.delete(f"subscriptions/{subscription.id}")
            elif not subscription.cancelling:
                if subscription.schedule_id is not None:
                    await stripe.post(f"subscription_schedules/{subscription.schedule_id}/release")
                await stripe.post(f"subscriptions/{subscription.id}", {"cancel_at_period_end": True})
    except Refused as refused:
        raise not_possible(refused) from None
    for payment in late:
        await remote.refund(stripe, payment.invoice_id)
    return late


async def end_elsewhere(
    context: AppContext, stripe: Stripe, customer_id: str, notification: Notification | None
) -> None:
    """Act upon a customer that no workspace is now: one that was left, or one that nobody here knows."""
    async with context.database.connection() as db:
        former = await queries.former_customer(db, customer_id)
    if former is not None:
        workspace_id, left_at = former
        remotes = await remote.subscriptions(stripe, customer_id)
        charged = await remote.payments(stripe, customer_id, remotes)
        refunded = await end(context, stripe, remotes, charged, left_at)
        async with context.database.transaction() as db:
            if notification is None or await note_once(db, notification, workspace_id):
                await record_payments(db, workspace_id, customer_id, charged, refunded)
    elif notification is not None and notification.concerns_us:
        for subscription in await remote.subscriptions(stripe, customer_id):
            if subscription.status in PAYING and subscription.workspace is not None:
                status = status_of(subscription.status, cancelling=subscription.cancelling)
                charge = Charged(subscription.id, customer_id, status, subscription.plan, subscription.workspace)
                await note_unknown(context, charge)


async def note_once(db: Db, notification: Notification, workspace_id: UUID) -> bool:
    """Note that a notification is acted upon in this transaction; False if it was before."""
    return await db.fetchval(_NOTE, notification.id, workspace_id, notification.type) is not None


async def note_unknown(context: AppContext, charge: Charged) -> None:
    """Show staff a subscription to our plans whose workspace is not here."""
    _log.error(
        "subscription.unknown_workspace",
        customer=charge.customer_id,
        subscription=charge.id,
        workspace=charge.workspace,
    )
    difference = Difference(
        kind="unknown_workspace",
        workspace=charge.workspace,
        customer_id=charge.customer_id,
        remote_id=charge.id,
        detail=f"Stripe charges for {charge.plan or 'no known plan'}, for a workspace that is not here.",
    )
    async with context.database.transaction() as db:
        await differences.note(db, difference, clock.now())


async def record_payments(
    db: Db, workspace_id: UUID, customer_id: str, charged: list[Payment], refunded: list[Payment]
) -> None:
    """Write each payment and each refund into the history of the workspace, once."""
    new = await _note_payments(db, workspace_id, charged)
    now = clock.now()
    for payment in reversed(charged):
        if payment.invoice_id in new:
            await record(db, workspace_id, "payment", payment)
    for payment in refunded:
        if await db.fetchval(_REFUNDED, payment.invoice_id, now):
            await record(db, workspace_id, "payment_refunded", payment)
            _log.error("payment.refunded", workspace=str(workspace_id), invoice=payment.invoice_id)
            difference = Difference(
                kind="refunded",
                workspace=ids.encode("wsp", workspace_id),
                customer_id=customer_id,
                remote_id=payment.invoice_id,
                detail=f"{payment.amount} {payment.currency} were charged for a workspace that is deleted or belongs to"
                " another person now.",
            )
            await differences.note(db, difference, now, solution="ended and given back")


async def _note_payments(db: Db, workspace_id: UUID, paid: list[Payment]) -> set[str]:
    """Write invoices that were paid; return the ids of those that were not known."""
    if not paid:
        return set()
    values = (
        [payment.invoice_id for payment in paid], [payment.amount for payment in paid],
        [payment.currency for payment in paid], [payment.invoiced_at for payment in paid],
    )  # fmt: skip
    return {row[0] for row in await db.fetch(_NOTE_PAYMENTS, workspace_id, *values)}


async def record(db: Db, workspace_id: UUID, action: str, payment: Payment) -> None:
    """Write a payment, or that it was given back, into a history."""
    changes = [Change("amount", None, payment.amount), Change("currency", None, payment.currency)]
    entry = audit.Entry(
        workspace_id=workspace_id, action=action, actor=STRIPE, subject=payment.invoice_id, changes=changes
    )
    await audit.record(db, entry)
