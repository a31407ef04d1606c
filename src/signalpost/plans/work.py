"""Work of this room: purging the audit log, giving back what fits again, reporting what is used up."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.audit.actions import purge as audit_purge
from signalpost.audit.actions import seal
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.engine.turns import Turns
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits, notices, queries

JOB: Final = "plans.purge_audit"
EVERY_SECONDS: Final = 3_600
_BATCH: Final = 5_000
"""How many entries one transaction deletes, and of how many workspaces."""
_WORKSPACES: Final = 500
FIT_JOB: Final = "plans.fit"
FIT_EVERY_SECONDS: Final = 600
FIT_BATCH: Final = 500
NOTICE_JOB: Final = "plans.notices"
NOTICE_EVERY_SECONDS: Final = 120


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    turns, fitting, reports = purging(), Fitting(), notices.turns(context)

    async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        if not context.settings.billing_enabled:  # every workspace keeps all of it
            return None
        return await turns.run(lease)

    async def refit(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        return await fitting.run(context, lease)

    async def fit_one(lease: Lease, payload: Mapping[str, Any]) -> None:
        async with lease.transaction() as db:
            plan = await queries.plan_of(db, ids.decode("wsp", payload["workspace"]))
            if plan is not None:
                await plans.fit(context, db, plan[0], plan[1])

    async def notify(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        if not context.settings.billing_enabled:  # nothing is limited
            return None
        async with lease.transaction() as db:
            more = await notices.forget(db)
        return await reports.run(lease) or (RunAgain(0) if more else None)

    return [
        JobKind(JOB, purge, EVERY_SECONDS),
        JobKind(FIT_JOB, refit, FIT_EVERY_SECONDS),
        JobKind(plans.FIT_AFTER_JOB, fit_one),
        JobKind(NOTICE_JOB, notify, NOTICE_EVERY_SECONDS),
    ]


class Fitting:
    """Goes through the workspaces that have more than their plan covers: perhaps something was deleted since.

    Also after an operator turned billing off, which lifts every limit.
    """

    def __init__(self) -> None:
        self._after: UUID | None = None

    async def run(self, context: AppContext, lease: Lease) -> RunAgain | None:
        """Look at a page of them; run again at once if there may be more."""
        async with lease.transaction() as db:
            rows = await queries.over_limit(db, after=self._after, limit=FIT_BATCH)
        for workspace_id, plan in rows:
            async with lease.transaction() as db:
                await plans.fit(context, db, workspace_id, plan)
        self._after = rows[-1][0] if len(rows) == FIT_BATCH else None
        return None if self._after is None else RunAgain(0)


def purging() -> Turns[None]:
    """Return the turns that delete what is older than the plan of its workspace keeps it."""
    days_by_plan = {plan: days for plan in limits.PLANS if (days := limits.AUDIT_DAYS.of(plan)) is not None}

    async def work(db: Db, positions: Mapping[UUID, None], share: int) -> Mapping[UUID, None]:
        purged = await audit_purge.purge(db, list(positions), days_by_plan, limit=share)
        return {workspace_id: None for workspace_id, count in purged.items() if count >= share}

    return Turns(seal.chains, work, page=_WORKSPACES, rows=_BATCH)
