"""What staff decide about a difference. Each is safe to repeat: what was done already is not done twice."""

from typing import Final

from signalpost.audit.actions import record as audit
from signalpost.audit.documents import Change
from signalpost.billing import comparison, differences, queries, remote
from signalpost.billing.actions import strays
from signalpost.billing.actions.refresh import refresh
from signalpost.billing.differences import DifferenceRow
from signalpost.billing.stripe import Refused, Stripe, not_possible
from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.plans import actions as plans
from signalpost.web.caller import Caller

_ENDED: Final = "ended, and the last payment given back"
_READ: Final = "read again"
_SERVED: Final = "the plan that is paid was given"


async def repair(context: AppContext, caller: Caller, row: DifferenceRow) -> DifferenceRow:
    """Do what makes a difference go away, and note it.

    - `unknown_workspace`, `several`: end the subscription, and give its last payment back.
    - `not_served`, `served_unpaid`: read the subscription again, and give the workspace the plan that is paid.

    Raises:
        InvalidState: it is solved already.
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`.
    """
    _require_open(row)
    counts = await refresh(context, row.customer_id)
    if row.kind in ("unknown_workspace", "several") and (counts is None or counts.remote_id != row.remote_id):
        await _end(context, row, counts)
        solution = _ENDED
    else:
        solution = _SERVED if await _serve(context, row) else _READ
    return await _solve(context, caller, row, solution)


async def leave(context: AppContext, caller: Caller, row: DifferenceRow) -> DifferenceRow:
    """Note that it is right as it is; it is not shown again.

    Raises:
        InvalidState: it is solved already.
    """
    _require_open(row)
    return await _solve(context, caller, row, differences.LEFT)


def _require_open(row: DifferenceRow) -> None:
    if row.solved_at is not None:
        raise problems.InvalidState("The difference is solved already.")


async def _end(context: AppContext, row: DifferenceRow, counts: queries.SubscriptionRow | None) -> None:
    stripe = Stripe(context)
    theirs = [charge for charge in await remote.subscriptions(stripe, row.customer_id) if charge.id == row.remote_id]
    paid = (await remote.payments(stripe, row.customer_id, theirs))[:1]
    try:
        await stripe.delete(f"subscriptions/{row.remote_id}")
    except Refused as refused:
        if refused.code != "resource_missing":  # it has ended already
            raise not_possible(refused) from None
    for payment in paid:
        await remote.refund(stripe, payment.invoice_id)
    async with context.database.transaction() as db:
        if counts is not None:
            await strays.record_payments(db, counts.workspace_id, row.customer_id, paid, paid)
        else:
            for payment in paid:
                await strays.record(db, audit.INSTALLATION, "payment_refunded", payment)
    await refresh(context, row.customer_id)


async def _serve(context: AppContext, row: DifferenceRow) -> bool:
    """Give a workspace the plan that is paid; False if it has it."""
    async with context.database.transaction() as db:
        had = (await comparison.had_by(db, [row.customer_id])).get(row.customer_id)
        if had is None or had.plan_in_force is None or comparison.is_served(had):
            return False
        await plans.change_plan(context, db, had.workspace_id, had.plan_in_force)
    return True


async def _solve(context: AppContext, caller: Caller, row: DifferenceRow, solution: str) -> DifferenceRow:
    async with context.database.transaction() as db:
        solved = await differences.solve(db, row.id, clock.now(), solution)
        if solved is None:
            raise problems.InvalidState("The difference was solved at this moment.")
        entry = audit.Entry(
            workspace_id=audit.INSTALLATION, action="solve_difference", actor=caller.actor,
            subject=ids.encode("dif", row.id), changes=[Change("solution", None, solution)],
        )  # fmt: skip
        await audit.record(db, entry)
    return solved
