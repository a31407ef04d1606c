"""Reading a subscription again, and acting upon what changed.

Stripe delivers notifications twice, late and in any order, so none is believed: each only says that something changed.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from signalpost.audit.actions import record as audit
from signalpost.audit.documents import Change
from signalpost.billing import queries, remote
from signalpost.billing.actions import strays
from signalpost.billing.actions.strays import STRIPE, Notification
from signalpost.billing.queries import Payment, SubscriptionRow
from signalpost.billing.states import FREE, PAYING, State, chosen, state_of
from signalpost.billing.stripe import Stripe
from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.kit import clock, log, problems
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.kit.tenant import across_workspaces
from signalpost.plans import actions as plans

ATTEMPTS_MAX: Final = 4
"""Of reading while others write what they read."""
_RECORDED: Final = ("status", "plan", "interval", "cancel_at_period_end", "plan_in_force")
"""What history says of a change."""
_log = log.get("billing")
_WRITE: Final = """
update subscription set remote_id = $2, status = $3, plan = $4, interval = $5, period_start = $6, period_end = $7,
    cancel_at_period_end = $8, trial_ends_at = $9, grace_ends_at = $10, pending_plan = $11, pending_interval = $12,
    pending_at = $13, card_brand = $14, card_last4 = $15, card_exp_month = $16, card_exp_year = $17,
    plan_in_force = $18, version = version + 1, read_at = $19, confirm_plan = $20, confirm_interval = $21,
    confirm_url = $22, confirm_expires_at = $23
where workspace_id = $1
"""
_COME_BACK: Final = """
update subscription set payer_left_at = null, version = version + 1 where workspace_id = $1 and payer_id = $2
"""


async def refresh(
    context: AppContext, customer_id: str, *, notification: Notification | None = None
) -> SubscriptionRow | None:
    """Read what a customer has, and give the workspace its plan; return the row, or None if the customer is not ours.

    What was read is written only if nobody wrote since the reading began: an older state never replaces a newer one.
    A notification is noted in the same transaction; one that was noted before has no effect.

    Raises:
        BillingNotConfigured: the subscription has a price that no plan has.
        Unavailable: Stripe cannot be read, or others write all the time. Nothing is changed.
    """
    stripe = Stripe(context)
    for _ in range(ATTEMPTS_MAX):
        async with context.database.connection() as db:
            row = await queries.of_customer(db, customer_id)
            if notification is not None and await queries.is_seen(db, notification.id):
                return row
        if row is None:
            await strays.end_elsewhere(context, stripe, customer_id, notification)
            return None
        remotes = await remote.subscriptions(stripe, customer_id)
        charged = await remote.payments(stripe, customer_id, remotes)
        refunded: list[Payment] = []
        if row.stray_since is not None:
            refunded = await strays.end(context, stripe, remotes, charged, row.stray_since, row.remote_id)
            remotes = await remote.subscriptions(stripe, customer_id)
        paying = [current.id for current in remotes if current.status in PAYING]
        if len(paying) > 1:
            _log.error("subscription.several", customer=customer_id, subscriptions=paying)
        state = state_of(chosen(remotes), clock.now())
        failpoint("billing.read")
        with across_workspaces():  # what was paid decides on the plan, not the rights of whoever asks
            async with context.database.transaction() as db:
                if await apply(context, db, row, state, notification):
                    await strays.record_payments(db, row.workspace_id, customer_id, charged, refunded)
                    await _welcome_back(db, row)
                    failpoint("billing.applied")
                    return await queries.find(db, row.workspace_id)
    raise problems.Unavailable("The subscription is being changed elsewhere.", headers={"Retry-After": "5"})


async def _welcome_back(db: Db, row: SubscriptionRow) -> None:
    """Let the card of a payer be charged again who owns the workspace again; what was wrong meanwhile is given back."""
    if row.payer_left_at is None or row.payer_id is None:
        return
    member = await members.find_of_user(db, row.workspace_id, row.payer_id)
    if member is not None and member.role == "owner":
        await db.execute(_COME_BACK, row.workspace_id, row.payer_id)


async def apply(
    context: AppContext, db: Db, seen: SubscriptionRow, state: State, notification: Notification | None
) -> bool:
    """Write what was read after the row was `seen`; False, and nothing is written, if it was changed since."""
    row = await queries.find(db, seen.workspace_id, lock=True)
    if row is None or row.version != seen.version:
        return False
    if notification is not None and not await strays.note_once(db, notification, row.workspace_id):
        return True
    if state.plan_in_force is None and row.plan_in_force is not None:  # the subscription is no longer there at all
        state = msgspec.structs.replace(state, status="expired", plan=row.plan, plan_in_force=FREE)
    await _write(db, row.workspace_id, state)
    if state.plan_in_force is not None and state.plan_in_force != row.plan_in_force:
        await plans.change_plan(context, db, row.workspace_id, state.plan_in_force)
    await _record(db, row, state)
    return True


async def _write(db: Db, workspace_id: UUID, state: State) -> None:
    """Write what was read as what the workspace has."""
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


async def _record(db: Db, row: SubscriptionRow, state: State) -> None:
    changes = [
        Change(name, getattr(row, name), getattr(state, name))
        for name in _RECORDED
        if getattr(row, name) != getattr(state, name)
    ]
    if changes:
        _log.info(
            "subscription.changed", workspace=str(row.workspace_id), status=state.status, plan=state.plan_in_force
        )
        entry = audit.Entry(workspace_id=row.workspace_id, action="subscription_changed", actor=STRIPE, changes=changes)
        await audit.record(db, entry)


async def refresh_outdated(context: AppContext, now: datetime, *, after: UUID | None, limit: int) -> UUID | None:
    """Read a batch of those whose period or grace is over; return the last one of it, or None at the end."""
    async with context.database.connection() as db:
        batch = await queries.outdated(db, now, after=after, limit=limit)
    return await read_batch(context, batch, limit)


async def read_batch(context: AppContext, batch: list[tuple[UUID, str]], limit: int) -> UUID | None:
    """Read these customers; return the last workspace if the batch was full, so that there may be more."""
    for _, customer_id in batch:
        try:
            await refresh(context, customer_id)
        except problems.Unavailable:  # tried again in the next round
            return None
        except problems.Problem as problem:  # one that cannot be read must not keep the others from it
            _log.warning("subscription.unread", customer=customer_id, reason=problem.detail)
    return batch[-1][0] if len(batch) == limit else None
