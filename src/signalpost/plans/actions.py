"""Keep workspaces within their plan: units of a month are spent, things that exist are counted."""

from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.events import PlanChanged
from signalpost.identity.actions import deletion, workspaces
from signalpost.identity.errors import PlanLimitReached
from signalpost.identity.queries import plan_in_force
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.plans import limits, queries
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.plans.limits import Counted, Feature, Monthly
from signalpost.web.caller import Caller

FIT_AFTER_JOB: Final = "plans.fit_after"
FIT_AFTER_SECONDS: Final = 120.0
"""After a change of plan no request that began before it is still under way."""


def month_of(instant: datetime) -> date:
    """Return the first day of the calendar month in UTC: the period of the ledger."""
    return instant.date().replace(day=1)


def this_month() -> date:
    """Return the month in which what is spent now is counted: that of the real clock, whatever a test key sets."""
    return month_of(clock.actual())


_SPEND = "select spend_usage($1, $2, $3, $4, $5)"  # the function is in the migrations; null means too few are left


def spend_parameters(caller: Caller, limit: Monthly, units: int) -> tuple[UUID, str, date, int, int | None]:
    """Return the five parameters of the database function `spend_usage`.

    A statement that writes what is paid for calls it too: `select ..., spend_usage($7, $8, $9, $10, $11)`. Hand its
    result to `check_spent`.
    """
    return caller.workspace_id, limit.name, this_month(), units, limit.of(caller.plan)


async def check_spent(db: Db, caller: Caller, limit: Monthly, used: int | None) -> None:
    """Refuse if `spend_usage` returned null (`used` is None); the transaction must then be rolled back.

    Raises:
        PlanLimitReached: the month's units are used up.
    """
    if used is None:
        total = (await queries.usage(db, caller.workspace_id, this_month()))[limit.name]
        raise _limit_reached(caller.plan, limit, total)


async def spent(db: Db, caller: Caller, limit: Monthly) -> int:
    """Return how many units the workspace has spent in the current month."""
    return await queries.spent(db, caller.workspace_id, limit, this_month())


async def spend(db: Db, caller: Caller, limit: Monthly, units: int) -> None:
    """Spend units of the current month: all of them or none. One statement.

    Raises:
        PlanLimitReached: fewer are left; nothing is written.
    """
    await check_spent(db, caller, limit, await db.fetchval(_SPEND, *spend_parameters(caller, limit, units)))


_REFUND = """
insert into usage (workspace_id, metric, period, stripe, used) values ($1, $2, $3, 0, -$4::bigint)
on conflict (workspace_id, metric, period, stripe) do update set used = usage.used + excluded.used
"""


async def refund(db: Db, workspace_id: UUID, limit: Monthly, units: int, *, spent_at: datetime) -> None:
    """Give units back to the month in which they were spent."""
    await db.execute(_REFUND, workspace_id, limit.name, month_of(spent_at), units)


async def change_plan(context: AppContext, db: Db, workspace_id: UUID, plan: str) -> None:
    """Move a workspace to another plan. Nothing is deleted: what no longer fits becomes read-only, the newest first.

    Whoever creates something at this moment knows the old plan, so it is looked at once more when they have ended. And
    at once by the engine: a command line may run with other settings, under which no plan has limits.
    """
    await workspaces.set_plan(context, db, workspace_id, plan)
    await fit(context, db, workspace_id, plan)
    workspace = ids.encode("wsp", workspace_id)
    later = clock.now() + timedelta(seconds=FIT_AFTER_SECONDS)
    for key, run_at in ((workspace, later), (f"{workspace}/now", clock.now())):
        await jobs.enqueue(
            db, FIT_AFTER_JOB, {"workspace": workspace}, run_at=run_at, unique_key=f"{FIT_AFTER_JOB}/{key}"
        )


async def fit(context: AppContext, db: Db, workspace_id: UUID, plan: str) -> None:
    """Have each room make read-only what the plan does not cover, and writable what it does."""
    deleted = await deletion.is_deleted(db, workspace_id)
    in_force = limits.DELETED if deleted else plan_in_force(context.settings, plan)
    await context.emit(db, PlanChanged(workspace_id=workspace_id, at=clock.now(), plan=in_force))


_LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 0))"


async def require_capacity(db: Db, caller: Caller, limit: Counted, units: int = 1) -> None:
    """Ensure that `units` more fit, before they are written in the same transaction; others wait for its end.

    No statement at all where the plan sets no limit; two where it does.

    Raises:
        PlanLimitReached: they do not fit.
        PlanFeatureUnavailable: the plan has none of these.
    """
    await check_capacity(db, caller.workspace_id, caller.plan, limit, adding=units)


async def check_capacity(db: Db, workspace_id: UUID, plan: str, limit: Counted, *, adding: int = 0) -> None:
    """Do the same for a workspace. `adding` is 0 when this transaction has written them already."""
    maximum = limit.of(plan)
    if maximum is None:
        return
    if maximum == 0:
        raise PlanFeatureUnavailable(
            f"The plan {plan} does not include {limit.name}.", limit=_members(plan, limit.name, used=0, maximum=0)
        )
    await db.execute(_LOCK, f"plan:{limit.name}:{workspace_id}")
    used = await queries.count(db, workspace_id, limit)  # a statement of its own: it sees what the lock waited for
    if used + adding > maximum:
        raise _limit_reached(plan, limit, used if adding else used - 1)


async def require_api_key_capacity(db: Db, workspace_id: UUID, plan: str) -> None:
    """Ensure that the plan covers the API keys of the workspace, including the newest one.

    Raises:
        PlanLimitReached: it does not.
    """
    await check_capacity(db, workspace_id, plan, limits.API_KEYS)


async def over_limit(db: Db, caller: Caller, limit: Counted) -> PlanLimitReached:
    """Return the refusal of something that has been over the limit since the workspace moved to a smaller plan."""
    maximum = limit.of(caller.plan)
    return PlanLimitReached(
        f"The plan {caller.plan} allows {maximum} {limit.name}; this is one too many.",
        limit=_members(
            caller.plan, limit.name, used=await queries.count(db, caller.workspace_id, limit), maximum=maximum
        ),
    )


def require_feature(caller: Caller, feature: Feature) -> None:
    """Refuse what the plan does not include.

    Raises:
        PlanFeatureUnavailable: it does not.
    """
    if not feature.included_in(caller.plan):
        raise PlanFeatureUnavailable(
            f"The plan {caller.plan} does not include {feature.name}.",
            limit=_members(caller.plan, feature.name, used=0, maximum=0),
        )


def _limit_reached(plan: str, limit: Counted | Monthly, used: int) -> PlanLimitReached:
    maximum = limit.of(plan)
    return PlanLimitReached(
        f"The plan {plan} allows {maximum} {limit.name}; {used} are used.",
        limit=_members(plan, limit.name, used=used, maximum=maximum),
    )


def _members(plan: str, name: str, *, used: int, maximum: int | None) -> dict[str, Any]:
    return {"name": name, "used": used, "max": maximum, "plan": plan}
