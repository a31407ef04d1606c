"""Work of this room: the end of a grace, and what Stripe could not tell us."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.billing import differences
from signalpost.billing.actions import notification
from signalpost.billing.actions.compare import compare
from signalpost.billing.actions.handover import close_pages, read_open_pages
from signalpost.billing.actions.ownership import CLOSE_JOB
from signalpost.billing.actions.refresh import refresh_outdated
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import clock, ids, log, problems

UPKEEP_JOB: Final = "billing.upkeep"
EVERY_SECONDS: Final = 300
BATCH: Final = 50
_log = log.get("billing")


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def upkeep(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return await keep_up(context, lease)

    async def close(_lease: Lease, payload: Mapping[str, Any]) -> None:
        workspace_id = ids.decode("wsp", payload["workspace"])
        if workspace_id and context.settings.billing_enabled and context.settings.stripe_secret_key:
            await close_pages(context, workspace_id)

    return [JobKind(UPKEEP_JOB, upkeep, EVERY_SECONDS), JobKind(CLOSE_JOB, close)]


async def keep_up(context: AppContext, lease: Lease) -> RunAgain | None:
    """Read again whose grace or period is over, or whose page may be paid; compare each night; forget what is old."""
    if not (context.settings.billing_enabled and context.settings.stripe_secret_key):
        return None
    for read in (refresh_outdated, read_open_pages):
        after: UUID | None = None
        while (after := await read(context, clock.now(), after=after, limit=BATCH)) is not None:
            continue
    try:
        await compare(context, clock.now())
    except problems.Unavailable as problem:  # it goes on in the next round
        _log.info("payments.comparison_waits", reason=problem.detail)
    async with lease.transaction() as db:
        more = await notification.purge(db) | await differences.forget(db, clock.now())
    return RunAgain(0) if more else None
