"""Work of this room: scheduling what was published, asking networks for numbers, and forgetting old ones."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.analytics.actions import collect, discover, followers, plan
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain

PLAN: Final = "analytics.plan"
PLAN_SECONDS: Final = 600
PURGE: Final = "analytics.purge"
PURGE_SECONDS: Final = 3_600
_BATCH: Final = 10_000
# 730 days are the most that any plan shows. A post has about 80 rows in its only year, so there is little to do.
_PURGE: Final = """
delete from metric where (target_id, bucket) in (
    select target_id, bucket from metric where collected_at < now() - interval '730 days' limit $1)
"""
_PURGE_FOLLOWERS: Final = """
delete from metric_followers where (account_id, day) in (
    select account_id, day from metric_followers where day < current_date - 730 limit $1)
"""


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def collect_account(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await collect.collect(context, lease, UUID(payload["account_id"]))

    async def collect_followers(_lease: Lease, payload: Mapping[str, Any]) -> None:
        await followers.collect(context, UUID(payload["account_id"]))

    return [
        JobKind(PLAN, run_plan, PLAN_SECONDS),
        JobKind(followers.COLLECT, collect_followers),
        JobKind(plan.DISPATCH, run_dispatch),
        JobKind(plan.COLLECT, collect_account),
        JobKind(PURGE, purge, PURGE_SECONDS),
    ]


async def run_plan(lease: Lease, _payload: Mapping[str, Any]) -> None:
    """Find what was published, and have what is due collected: numbers of posts, and once a day those of accounts."""
    after: UUID | None = discover.BEGINNING
    while after is not None:
        async with lease.transaction() as db:
            after = await discover.add_published(db, after=after)
    async with lease.transaction() as db:
        await discover.follow_zones(db)
        await plan.postpone(db)
        await plan.dispatch(db)
        await followers.dispatch(db)


async def run_dispatch(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Have what is due collected. Those that did not fit into this run come with the next `analytics.plan`."""
    async with lease.transaction() as db:
        await plan.dispatch(db)
    return None


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete a batch of numbers that no plan shows any more."""
    async with lease.transaction() as db:
        await db.execute(_PURGE_FOLLOWERS, _BATCH)
        done = await db.execute(_PURGE, _BATCH)
    return RunAgain(0) if done == f"DELETE {_BATCH}" else None
