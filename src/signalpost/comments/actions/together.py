"""Looking at what is due, of all accounts together.

Most looks find nothing new. So they have no job each: what they find is written for many posts in one statement. An
account gets a job of its own where that takes longer: its network fails or is slow, a post has many comments, or many
of its posts are due.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.comments import queries
from signalpost.comments.actions import collect, plan
from signalpost.comments.actions.collect import Asking, TooLarge
from signalpost.comments.actions.plan import Looked
from signalpost.comments.queries import DueOfAll
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log
from signalpost.kit.problems import Unavailable
from signalpost.kit.tenant import Tenant, work_for

POSTS: Final = 500
"""Of one step, which ends with one transaction."""
STEPS: Final = 10
"""In a row, before the worker looks at other jobs."""
ACCOUNTS_AT_ONCE: Final = 16
CALLS_MAX: Final = 3
"""Of one account in a step; one that has more to ask for gets a job."""
COMMENTS_MAX: Final = 100
"""In one call; an account whose posts have more gets a job."""
ASK_SECONDS_MAX: Final = 10.0
"""For one call."""
BEGIN_SECONDS_MAX: Final = 10.0
"""From the beginning of a step: then it asks no further account. What is left stays due."""
SLEEP: Final = timedelta(hours=1)
"""Until the posts of an account that cannot be asked are looked at again."""
_BEGINNING: Final = (datetime(2000, 1, 1, tzinfo=UTC), UUID(int=0))
_logger = log.get("comments")


class _Result(NamedTuple):
    """What becomes of an account: what to write of its posts, and when its job runs, if it gets one."""

    looked: Sequence[Looked] = ()
    again: RunAgain | None = None


class Looking:
    """The place in what is due that the looks of this process have come to. It may be lost: they begin again."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._after = _BEGINNING

    async def run(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Look at what is due, some steps long; None: that was all."""
        for _ in range(STEPS):
            if not await self.step(lease):
                return None
        return RunAgain(0)

    async def step(self, lease: Lease) -> bool:
        """Look at the next posts; return whether there may be more. One that fails is repeated: nothing is lost."""
        async with self._context.database.connection() as db:
            due = await queries.due_of_all(db, self._after, POSTS, job_key=plan.KEY, platforms=plan.platforms())
        looked, of_accounts = _sort(due, clock.actual())
        stop_at = clock.monotonic() + BEGIN_SECONDS_MAX
        turns = asyncio.Semaphore(ACCOUNTS_AT_ONCE)
        tasks = (_look(self._context, lease, turns, stop_at, mine) for mine in of_accounts)
        results = await asyncio.gather(*tasks)
        if looked or any(result.looked or result.again for result in results):
            async with lease.transaction() as db:
                await plan.write_looks(db, looked + [look for result in results for look in result.looked])
                for mine, result in zip(of_accounts, results, strict=True):
                    if result.again is not None:
                        at = clock.now() + timedelta(seconds=result.again.after_seconds)
                        await plan.enqueue(db, mine[0].account_id, mine[0].workspace_id, at)
        is_more = len(due) == POSTS
        self._after = (due[-1].next_attempt_at, due[-1].target.target_id) if is_more else _BEGINNING
        return is_more


def _sort(due: Sequence[DueOfAll], now: datetime) -> tuple[list[Looked], list[list[DueOfAll]]]:
    """Return what becomes of posts that nobody has to be asked for, and the others by their account."""
    looked: list[Looked] = []
    of_accounts: defaultdict[UUID, list[DueOfAll]] = defaultdict(list)
    for post in due:
        if now - post.target.published_at >= plan.FORGOTTEN_AFTER:
            looked.append(Looked(post.target.target_id, None))
        elif not post.is_there:
            looked.append(plan.at_the_end(post.target.target_id, post.target.published_at, now))
        elif not post.is_asked:
            looked.append(Looked(post.target.target_id, now + SLEEP))
        elif not post.is_busy:
            of_accounts[post.account_id].append(post)
    return looked, list(of_accounts.values())


async def _look(
    context: AppContext, lease: Lease, turns: asyncio.Semaphore, stop_at: float, due: Sequence[DueOfAll]
) -> _Result:
    """Look at the posts of one account, or leave them to its job. It has a task of its own, for its workspace."""
    if any(post.target.failures or post.listed > COMMENTS_MAX for post in due):
        return _Result(again=RunAgain(0))
    work_for(Tenant(due[0].tenant_id, due[0].workspace_id))
    async with turns:
        if clock.monotonic() > stop_at:
            return _Result()
        try:
            return await _ask(context, lease, due)
        except Unavailable:  # of the database: what the step writes at its end will say so, or it passes
            return _Result()
        except Exception:
            _logger.exception("comments.unexpected_error", account=str(due[0].account_id))
            return _Result(again=RunAgain(0))


async def _ask(context: AppContext, lease: Lease, due: Sequence[DueOfAll]) -> _Result:
    async with context.database.connection() as db:
        row = await accounts.by_id(db, due[0].account_id)
    connector = networks.get(row.platform) if row else None
    if row is None or connector is None:
        return _Result()  # it went since it was read
    if len(due) > CALLS_MAX * connector.facts.comments_per_call:
        return _Result(again=RunAgain(0))
    asking = Asking(
        context, row, connector, context.database.transaction, lease.count, ASK_SECONDS_MAX, COMMENTS_MAX
    )  # fmt: skip
    try:
        again = await collect.ask(asking, [post.target for post in due])
    except TooLarge:
        again = RunAgain(0)
    return _Result(asking.looked, again)
