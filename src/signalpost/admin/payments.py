"""Differences between what Stripe charges for and what workspaces have."""

from uuid import UUID

from signalpost.admin.schemas import PaymentDifference
from signalpost.billing import differences
from signalpost.billing.actions import repair
from signalpost.billing.differences import DifferenceRow
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.web.caller import Caller
from signalpost.web.paging import Page


async def find(db: Db, _caller: Caller, difference_id: UUID) -> DifferenceRow | None:
    """Return a difference."""
    return await differences.find(db, difference_id)


async def list_differences(context: AppContext, page: Page) -> Listing[PaymentDifference]:
    """Return a page of them, newest first."""
    async with context.database.connection() as db:
        rows = await differences.read_page(db, page.bounds)
    return page.of(rows, _view, position=lambda row: (row.found_at, row.id))


async def repair_difference(context: AppContext, caller: Caller, row: DifferenceRow) -> PaymentDifference:
    """Do what makes it go away."""
    return _view(await repair.repair(context, caller, row))


async def leave_difference(context: AppContext, caller: Caller, row: DifferenceRow) -> PaymentDifference:
    """Note that it is right as it is."""
    return _view(await repair.leave(context, caller, row))


def _view(row: DifferenceRow) -> PaymentDifference:
    return PaymentDifference(
        id=ids.encode("dif", row.id),
        kind=row.kind,
        workspace_id=row.workspace,
        customer_id=row.customer_id,
        subject=row.remote_id,
        detail=row.detail,
        found_at=clock.wire(row.found_at),
        solved_at=clock.wire_or_none(row.solved_at),
        solution=row.solution,
    )
