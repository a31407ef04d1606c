"""The schedule: which targets have one, and the jobs that follow from it."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.analytics import queries
from signalpost.engine import jobs
from signalpost.kit.db import Db

DISPATCH: Final = "analytics.dispatch"
COLLECT: Final = "analytics.collect"
_KEY: Final = f"{COLLECT}/"
ACCOUNTS: Final = 200
"""For how many accounts one transaction writes jobs."""
ROWS: Final = 2_000
"""How many targets of accounts that cannot be asked one transaction postpones."""

_POSTPONE: Final = """
with moved as (
    update metric_schedule set due_at = now() + interval '1 day' where target_id = any(array(
        select s.target_id from account a cross join lateral (
            select target_id from metric_schedule where account_id = a.id and due_at <= now() order by due_at limit $2
        ) s
        where a.id = any($1) and a.status not in ('active', 'expiring')))
    returning account_id
)
select account_id from moved group by 1 having count(*) = $2
"""
_MARK_DUE: Final = """
insert into metric_schedule (target_id, workspace_id, account_id, published_at, due_at)
select id, workspace_id, account_id, published_at, now() from target where id = any($1)
on conflict (target_id) do update set due_at = now()
"""


class Requested(Struct, frozen=True):
    """What a request of staff set off: `accepted` and `skipped` targets."""

    job_id: UUID
    accepted: int
    skipped: int


async def request(
    db: Db, *, profile_id: UUID | None, account_id: UUID | None, post_ids: Sequence[UUID] | None, force: bool
) -> Requested:
    """Ask for the numbers of these targets soon; without `force`, not of those that were asked for within the hour."""
    targets = await queries.published_targets(db, profile_id=profile_id, account_id=account_id, post_ids=post_ids)
    accepted = [target.target_id for target in targets if force or not target.fresh]
    await db.execute(_MARK_DUE, accepted)
    return Requested(await enqueue_dispatch(db), len(accepted), len(targets) - len(accepted))


async def request_due(db: Db) -> Requested:
    """Ask for all numbers that are due."""
    return Requested(await enqueue_dispatch(db), await queries.count_due(db), 0)


async def enqueue_dispatch(db: Db) -> UUID:
    """Write the job that writes a job for each account; of several at once there is one."""
    return await jobs.enqueue(db, DISPATCH, {}, unique_key=DISPATCH)


async def dispatch(db: Db, positions: Mapping[UUID, None], share: int) -> Mapping[UUID, None]:
    """Write a job for each of these accounts that has due targets; return those with more than `share` to postpone.

    The targets of accounts that cannot be asked now are looked at again in a day.
    """
    left = await db.fetch(_POSTPONE, list(positions), share)
    for account_id, workspace_id in await queries.due_accounts(db, list(positions), job_key=_KEY):
        key = f"{_KEY}{account_id}"
        payload = {"account_id": str(account_id)}
        await jobs.enqueue(db, COLLECT, payload, unique_key=key, workspace_id=workspace_id)
    return {account_id: None for (account_id,) in left}
