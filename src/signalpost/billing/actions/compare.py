"""Each night: what Stripe charges for, beside what workspaces have. Reading again repairs most; the rest is for staff.

It goes on in portions, each remembered, and reads a subscription of its own only where something differs.
"""

from datetime import datetime, timedelta
from typing import Final

from signalpost.billing import comparison, differences, queries, remote
from signalpost.billing.actions import strays
from signalpost.billing.actions.refresh import refresh
from signalpost.billing.comparison import Had
from signalpost.billing.differences import Difference, Kind
from signalpost.billing.states import LIVE, Charged
from signalpost.billing.stripe import Stripe
from signalpost.context import AppContext
from signalpost.kit import clock, ids, log, problems

AT_HOUR: Final = 3
"""Of UTC."""
PAGES: Final = 20
"""Of subscriptions, in one portion."""
ROWS: Final = 100
"""Of workspaces whose subscription Stripe did not name, in one portion."""
READ_AGAIN: Final = "read again"
_log = log.get("billing")


def last_due(now: datetime) -> datetime:
    """Return when the last comparison should have begun."""
    tonight = now.replace(hour=AT_HOUR, minute=0, second=0, microsecond=0)
    return tonight if tonight <= now else tonight - timedelta(days=1)


async def compare(context: AppContext, now: datetime) -> None:
    """Compare a portion, if a comparison is due or under way.

    Raises:
        BillingDisabled, BillingNotConfigured, Unavailable: see `Stripe`; the portion is compared in the next round.
    """
    async with context.database.transaction() as db:
        progress = await comparison.begin(db, now, due=last_due(now))
    if progress is None:
        return
    stripe, after = Stripe(context), progress.after
    for _ in range(PAGES):
        page, after = await remote.charged(stripe, after)
        await _compare_page(context, page)
        if after is None:
            break
        async with context.database.transaction() as db:
            await comparison.go_on(db, after)
    else:
        return
    if await _look_for_the_unpaid(context, progress.since):
        async with context.database.transaction() as db:
            await comparison.end(db, now)


async def _compare_page(context: AppContext, page: list[Charged]) -> None:
    async with context.database.transaction() as db:
        rows = await comparison.had_by(db, [charge.customer_id for charge in page])
        await comparison.mark(db, [charge.id for charge in page], clock.now())
    for charge in page:
        had = rows.get(charge.customer_id)
        if had is None:
            await _compare_unknown(context, charge)
        elif not _agree(charge, had):
            await _read_again(context, charge, had)


def _agree(charge: Charged, had: Had) -> bool:
    """Whether the workspace has what is charged for: at least the plan, in the state that Stripe says."""
    return (had.remote_id, had.status, had.plan) == (charge.id, charge.status, charge.plan) and comparison.is_served(
        had
    )


async def _compare_unknown(context: AppContext, charge: Charged) -> None:
    async with context.database.connection() as db:
        former = await queries.former_customer(db, charge.customer_id)
    if former is not None:
        await _reading(context, charge, None)
    else:
        await strays.note_unknown(context, charge)


async def _read_again(context: AppContext, charge: Charged, before: Had) -> None:
    if not await _reading(context, charge, before):
        return
    async with context.database.connection() as db:
        had = (await comparison.had_by(db, [charge.customer_id])).get(charge.customer_id)
    if had is None or had.is_stray:  # ended and given back, which is shown by itself
        return
    if had.remote_id != charge.id:
        if had.status in LIVE:
            detail = f"The customer pays for {charge.plan} besides the subscription {had.remote_id}, which counts."
            await _note(context, "several", charge, had, detail)
    elif not comparison.is_served(had):
        detail = f"The plan {had.plan_in_force} is paid, and the workspace has {had.workspace_plan}."
        await _note(context, "not_served", charge, had, detail)
    elif had.plan_in_force != before.plan_in_force:
        detail = f"The plan {charge.plan} was paid, and the workspace had {before.workspace_plan}."
        await _note(context, "not_served", charge, had, detail, solution=READ_AGAIN)


async def _reading(context: AppContext, charge: Charged, had: Had | None) -> bool:
    """Read a customer again; False if that is not possible, which staff see.

    Raises:
        Unavailable: Stripe cannot be read now.
    """
    try:
        await refresh(context, charge.customer_id)
    except problems.Unavailable:
        raise
    except problems.Problem as problem:
        await _note(context, "not_served", charge, had, problem.detail or "The subscription cannot be read.")
        return False
    return True


async def _look_for_the_unpaid(context: AppContext, since: datetime) -> bool:
    """Read again what Stripe did not name in this comparison; True if that is all."""
    async with context.database.connection() as db:
        rows = await comparison.unnamed(db, since, limit=ROWS)
    for had in rows:
        charge = Charged(had.remote_id or "", had.customer_id, had.status, had.plan, None)
        solution = READ_AGAIN
        try:
            row = await refresh(context, had.customer_id)
            if row is None or row.plan_in_force == had.plan_in_force:
                solution = ""
        except problems.Unavailable:
            raise
        except problems.Problem as problem:
            _log.warning("subscription.unread", customer=had.customer_id, reason=problem.detail)
            await _note(context, "served_unpaid", charge, had, problem.detail or "The subscription cannot be read.")
            solution = ""
        if solution:
            detail = f"The workspace had {had.plan_in_force}, and Stripe charges for nothing."
            await _note(context, "served_unpaid", charge, had, detail, solution=solution)
        async with context.database.transaction() as db:
            await comparison.mark(db, [charge.id], clock.now())
    return len(rows) < ROWS


async def _note(
    context: AppContext, kind: Kind, charge: Charged, had: Had | None, detail: str, *, solution: str | None = None
) -> None:
    workspace = ids.encode("wsp", had.workspace_id) if had else charge.workspace
    difference = Difference(
        kind=kind, workspace=workspace, customer_id=charge.customer_id, remote_id=charge.id, detail=detail
    )
    _log.error("payments.differ", kind=kind, workspace=workspace, customer=charge.customer_id, subscription=charge.id)
    async with context.database.transaction() as db:
        await differences.note(db, difference, clock.now(), solution=solution)
