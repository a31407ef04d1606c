"""The schedule: which targets have one, and the jobs that follow from it."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.analytics import queries
from signalpost.engine import jobs
from signalpost.kit.db import Db

DISPATCH: Final = "analytics.dispatch"
COLLECT: Final = "analytics.collect"
_KEY: Final = f"{COLLECT}/"
ACCOUNTS_MAX: Final = 1_000
"""For how many accounts one run writes jobs; the next run goes on."""

_POSTPONE: Final = """
update metric_schedule s set due_at = now() + interval '1 day' from account a
where a.id = s.account_id and s.due_at <= now() and a.status not in ('active', 'expiring')
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


async def postpone(db: Db) -> None:
    """Look again in a day at accounts that cannot be asked now."""
    await db.execute(_POSTPONE)


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
    await postpone(db)
    return Requested(await enqueue_dispatch(db), await queries.count_due(db), 0)


async def enqueue_dispatch(db: Db) -> UUID:
    """Write the job that writes a job for each account; of several at once there is one."""
    return await jobs.enqueue(db, DISPATCH, {}, unique_key=DISPATCH)


async def dispatch(db: Db) -> int:
    """Write a job for each account with due targets; return how many there were."""
    accounts = await queries.due_accounts(db, ACCOUNTS_MAX, job_key=_KEY)
    for account_id, workspace_id in accounts:
        key = f"{_KEY}{account_id}"
        payload = {"account_id": str(account_id)}
        await jobs.enqueue(db, COLLECT, payload, unique_key=key, workspace_id=workspace_id)
    return len(accounts)
