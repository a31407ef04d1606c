"""Looking at what is due, of all accounts together.

Most looks find nothing new. So they have no job each: what they find is written for many posts in one statement. An
account gets a job of its own where that takes longer: its network fails or is slow, a post has many comments, or many
of its posts are due.

One worker looks, as long as it keeps up. If it does not, the accounts are divided into shares, and other workers take
some of them: decision 0453.
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
from signalpost.comments.actions.collect import Asking, TooLarge, TooSlow
from signalpost.comments.actions.plan import Looked
from signalpost.comments.queries import DueOfAll
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log
from signalpost.kit.lru import LruDict
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
SHARE: Final = "comments.look"
SHARES: Final = 4
"""How many workers look at once where one does not keep up."""
ALL: Final = tuple(range(SHARES))
BUSY_SECONDS: Final = 1.0
"""Until a worker that is looking already takes another share, if no other worker has by then."""
SLOW_SECONDS: Final = 86_400.0
"""How long an account whose network took too long has a job of its own at once, instead of being asked twice."""
SLOW_MAX: Final = 10_000
"""Accounts that are remembered for it."""
SLEEP: Final = timedelta(hours=1)
"""Until the posts of an account that cannot be asked are looked at again."""
_BEGINNING: Final = (datetime(2000, 1, 1, tzinfo=UTC), UUID(int=0))
_logger = log.get("comments")


class _Result(NamedTuple):
    """What becomes of an account: what to write of its posts, and when its job runs, if it gets one."""

    looked: Sequence[Looked] = ()
    again: RunAgain | None = None
    is_slow: bool = False


class Looking:
    """The looks of this process: one run of them at a time, so that publishing keeps its place however much is due.

    It remembers the place in what is due that each share has come to, and which networks are slow. That may be lost.
    """

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._after: dict[tuple[int, ...], tuple[datetime, UUID]] = {}
        self._slow: LruDict[UUID, float] = LruDict(SLOW_MAX)
        self._looks = False
        self._others_wait = False

    async def run(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Look at what is due in all shares that no other worker has; None: that was all."""
        async with self._context.database.connection() as db:
            taken = await jobs.open_keys(db, [_key(share) for share in ALL[1:]])
        return await self._run(lease, [share for share in ALL if _key(share) not in taken], divides=True)

    async def run_share(self, lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        """Look at what is due in one share; None: that was all."""
        return await self._run(lease, [int(payload["share"])])

    async def _run(self, lease: Lease, shares: Sequence[int], *, divides: bool = False) -> RunAgain | None:
        if self._looks:
            self._others_wait = True
            return RunAgain(BUSY_SECONDS)
        self._looks, self._others_wait = True, False
        try:
            for _ in range(STEPS):
                if not await self.step(lease, shares):
                    return None
                if divides and len(shares) > 1:
                    await _divide(lease, shares[1:])
                    shares = shares[:1]
        finally:
            self._looks = False
        return RunAgain(2 * BUSY_SECONDS if self._others_wait else 0)

    async def step(self, lease: Lease, shares: Sequence[int] = ALL) -> bool:
        """Look at the next posts; return whether there may be more. One that fails is repeated: nothing is lost."""
        place = tuple(shares)
        async with self._context.database.connection() as db:
            due = await queries.due_of_all(
                db, self._after.get(place, _BEGINNING), POSTS, job_key=plan.KEY, platforms=plan.platforms(),
                shares=(SHARES, shares),
            )  # fmt: skip
        looked, of_accounts = _sort(due, clock.actual())
        stop_at = clock.monotonic() + BEGIN_SECONDS_MAX
        turns = asyncio.Semaphore(ACCOUNTS_AT_ONCE)
        tasks = (self._look(lease, turns, stop_at, mine) for mine in of_accounts)
        results = await asyncio.gather(*tasks)
        if looked or any(result.looked or result.again for result in results):
            async with lease.transaction() as db:
                await plan.write_looks(db, looked + [look for result in results for look in result.looked])
                for mine, result in zip(of_accounts, results, strict=True):
                    if result.again is not None:
                        at = clock.now() + timedelta(seconds=result.again.after_seconds)
                        await plan.enqueue(db, mine[0].account_id, mine[0].workspace_id, at)
        is_more = len(due) == POSTS
        self._after[place] = (due[-1].next_attempt_at, due[-1].target.target_id) if is_more else _BEGINNING
        return is_more

    async def _look(self, lease: Lease, turns: asyncio.Semaphore, stop_at: float, due: Sequence[DueOfAll]) -> _Result:
        """Look at the posts of one account, or leave them to its job. It has a task of its own, for its workspace."""
        account_id = due[0].account_id
        is_slow = (self._slow.get(account_id) or 0.0) > clock.monotonic()
        if is_slow or any(post.target.failures or post.listed > COMMENTS_MAX for post in due):
            return _Result(again=RunAgain(0))
        work_for(Tenant(due[0].tenant_id, due[0].workspace_id))
        async with turns:
            if clock.monotonic() > stop_at:
                return _Result()
            try:
                result = await _ask(self._context, lease, due)
            except Unavailable:  # of the database: what the step writes at its end will say so, or it passes
                return _Result()
            except Exception:
                _logger.exception("comments.unexpected_error", account=str(account_id))
                return _Result(again=RunAgain(0))
        if result.is_slow:
            self._slow[account_id] = clock.monotonic() + SLOW_SECONDS
        return result


def _key(share: int) -> str:
    return f"{SHARE}/{share}"


async def _divide(lease: Lease, shares: Sequence[int]) -> None:
    """Have other workers look at these shares: each has a lane of its own, until nothing of it is due."""
    async with lease.transaction() as db:
        for share in shares:
            await jobs.enqueue(db, SHARE, {"share": share}, queue=_key(share), unique_key=_key(share))


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
    is_slow = False
    try:
        again = await collect.ask(asking, [post.target for post in due])
    except TooLarge as error:
        again, is_slow = RunAgain(0), isinstance(error, TooSlow)
    return _Result(asking.looked, again, is_slow)
