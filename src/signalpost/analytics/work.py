"""Work of this room: scheduling what was published, asking networks for numbers, and forgetting old ones."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from signalpost.analytics.actions import collect, discover, followers, plan
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.engine.turns import Turns
from signalpost.kit import batches, clock
from signalpost.kit.db import Db

PLAN: Final = "analytics.plan"
PLAN_SECONDS: Final = 600
PURGE: Final = "analytics.purge"
PURGE_SECONDS: Final = 3_600
# 730 days are the most that any plan shows. A post has about 80 rows in its only year, so there is little to do.
_PURGE: Final = (
    batches.delete("metric", "collected_at < now() - interval '730 days'"),
    batches.delete("metric_followers", "day < current_date - 730"),
)


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def collect_account(lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await collect.collect(context, lease, UUID(payload["account_id"]))

    async def collect_followers(_lease: Lease, payload: Mapping[str, Any]) -> None:
        await followers.collect(context, UUID(payload["account_id"]))

    return [
        JobKind(PLAN, Planning().run, PLAN_SECONDS),
        JobKind(followers.COLLECT, collect_followers),
        JobKind(plan.DISPATCH, Dispatching().run),
        JobKind(plan.COLLECT, collect_account),
        JobKind(PURGE, purge, PURGE_SECONDS),
    ]


class Dispatching:
    """Has what is due collected, of one page of accounts after the other."""

    def __init__(self) -> None:
        self._turns = Turns(discover.accounts, plan.dispatch, page=plan.ACCOUNTS, rows=plan.ROWS)

    async def run(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Go through the accounts once."""
        return await self._turns.run(lease)


class Planning:
    """Has what is due collected, numbers of posts and once a day those of accounts; then finds what was published.

    What is due comes first, and again each time that `PLAN_SECONDS` have passed: finding a long past takes its time.
    """

    def __init__(self) -> None:
        self._phases: Sequence[Turns[Any]] = (
            Turns(discover.accounts, _dispatch, page=plan.ACCOUNTS, rows=plan.ROWS),
            Turns(discover.profiles, discover.follow_zones, page=discover.PROFILES, rows=discover.ROWS),
            Turns(discover.accounts, discover.add_published, page=discover.ACCOUNTS, rows=discover.ROWS),
        )
        self._open: list[Turns[Any]] = []
        self._began = 0.0

    async def run(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Do some steps."""
        now = clock.monotonic()
        if not self._open or now - self._began >= PLAN_SECONDS:
            self._open, self._began = list(self._phases), now
        while self._open:
            if (again := await self._open[0].run(lease)) is not None:
                return again
            self._open.pop(0)
        return None


async def _dispatch(db: Db, positions: Mapping[UUID, None], share: int) -> Mapping[UUID, None]:
    await followers.dispatch(db, list(positions))
    return await plan.dispatch(db, positions, share)


async def purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete a batch of numbers that no plan shows any more."""
    async with lease.transaction() as db:
        return RunAgain(0) if await batches.run(db, _PURGE) else None
