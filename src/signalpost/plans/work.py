"""Work of this room: deleting the audit log that is older than the plan keeps it."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.audit import actions as audit
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.plans import limits

JOB: Final = "plans.purge_audit"
EVERY_SECONDS: Final = 3_600
_BATCH: Final = 5_000


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return await purge_audit(context, lease)

    return [JobKind(JOB, purge, EVERY_SECONDS)]


async def purge_audit(context: AppContext, lease: Lease) -> RunAgain | None:
    """Delete a batch of entries in each workspace whose plan keeps them for a number of days."""
    if not context.settings.billing_enabled:  # every workspace keeps all of it
        return None
    days_by_plan = {plan: days for plan in limits.PLANS if (days := limits.AUDIT_DAYS.of(plan)) is not None}
    async with lease.transaction() as db:
        purged = await audit.purge(db, days_by_plan, limit=_BATCH)
    return RunAgain(0) if purged >= _BATCH else None
