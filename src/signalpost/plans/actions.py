"""Units of a month are spent, counts are kept within their limit: at most one statement where the plan sets none."""

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.plans import queries
from signalpost.plans.errors import PlanFeatureUnavailable, PlanLimitReached
from signalpost.plans.limits import Feature, limit_of
from signalpost.plans.queries import Metric
from signalpost.web.caller import Caller

Unit = Literal["posts", "aiCaptions"]


def month_of(instant: datetime) -> date:
    """Return the first day of the calendar month in UTC: the period of the ledger."""
    return instant.date().replace(day=1)


_SPEND = "select spend_usage($1, $2, $3, $4, $5)"  # the function is in the migrations; null means too few are left


def spend_parameters(caller: Caller, metric: Unit, units: int) -> tuple[UUID, str, date, int, int | None]:
    """Return the five parameters of the database function `spend_usage`.

    A statement that writes what is paid for calls it too: `select ..., spend_usage($7, $8, $9, $10, $11)`. Hand its
    result to `check_spent`.
    """
    return caller.workspace_id, metric, month_of(clock.now()), units, limit_of(caller.plan, metric)


async def check_spent(db: Db, caller: Caller, metric: Unit, used: int | None) -> None:
    """Refuse if `spend_usage` returned null (`used` is None); the transaction must then be rolled back.

    Raises:
        PlanLimitReached: the month's units are used up.
    """
    if used is None:
        month = month_of(clock.now())
        total = (await queries.usage_of(db, caller.workspace_id, month))[metric]
        raise _reached(caller.plan, metric, total)


_REFUND = """
insert into usage (workspace_id, metric, period, stripe, used) values ($1, $2, $3, 0, -$4::bigint)
on conflict (workspace_id, metric, period, stripe) do update set used = usage.used + excluded.used
"""


async def spend(db: Db, caller: Caller, metric: Unit, units: int) -> None:
    """Use units of the present month: all of them or none. One statement.

    Raises:
        PlanLimitReached: fewer are left; nothing is written.
    """
    await check_spent(db, caller, metric, await db.fetchval(_SPEND, *spend_parameters(caller, metric, units)))


async def refund(db: Db, workspace_id: UUID, metric: Unit, units: int, *, spent_at: datetime) -> None:
    """Give units back to the month they were spent in."""
    await db.execute(_REFUND, workspace_id, metric, month_of(spent_at), units)


_LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 0))"


async def require_room(db: Db, caller: Caller, metric: Metric, units: int = 1) -> None:
    """See that `units` more fit, before writing them in the same transaction; others wait for its end.

    No statement at all where the plan sets no limit; two where it does.

    Raises:
        PlanLimitReached: they do not fit.
        PlanFeatureUnavailable: the plan has none of these.
    """
    await keep_within(db, caller.workspace_id, caller.plan, metric, coming=units)


async def keep_within(db: Db, workspace_id: UUID, plan: str, metric: Metric, *, coming: int = 0) -> None:
    """The same for a workspace; `coming` 0 when they are written already in this transaction."""
    most = limit_of(plan, metric)
    if most is None:
        return
    if most == 0:
        raise PlanFeatureUnavailable(
            f"The plan {plan} has no {metric}.", limit={"name": metric, "used": 0, "max": 0, "plan": plan}
        )
    await db.execute(_LOCK, f"plan:{metric}:{workspace_id}")
    used = await queries.count(db, workspace_id, metric)  # a statement of its own: it sees what the lock waited for
    if used + coming > most:
        raise _reached(plan, metric, used if coming else used - 1)


def require_feature(caller: Caller, feature: Feature) -> None:
    """Refuse what the plan does not include.

    Raises:
        PlanFeatureUnavailable: it does not.
    """
    if not limit_of(caller.plan, feature):
        limit: dict[str, Any] = {"name": feature, "used": 0, "max": 0, "plan": caller.plan}
        raise PlanFeatureUnavailable(f"The plan {caller.plan} does not include {feature}.", limit=limit)


def _reached(plan: str, metric: str, used: int) -> PlanLimitReached:
    most = limit_of(plan, metric)
    return PlanLimitReached(
        f"The plan {plan} allows {most} {metric}, {used} are used.",
        limit={"name": metric, "used": used, "max": most, "plan": plan},
    )


async def require_api_key_room(db: Db, workspace_id: UUID, plan: str) -> None:
    """Ensure that the plan covers the API keys of the workspace, the newest included.

    Raises:
        PlanLimitReached: it does not.
    """
    await keep_within(db, workspace_id, plan, "apiKeys")
