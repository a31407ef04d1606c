"""How many follow an account, once a day."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.actions import health
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import clock
from signalpost.kit.db import Db

COLLECT: Final = "analytics.followers"
EVERY: Final = timedelta(hours=23)
"""A little less than a day: no day is left out because each look comes some minutes after the one before."""
AGAIN: Final = timedelta(hours=1)
"""After which an account is asked again whose network gave no answer."""

# The newest look is written first, so that an account whose check fails is not asked again and again.
_TAKE: Final = """
insert into metric_account as m (account_id, workspace_id, asked_at)
select a.id, a.workspace_id, now() from account a left join metric_account o on o.account_id = a.id
where a.id = any($3) and a.platform = any($1) and a.status in ('active', 'expiring')
    and (o.asked_at is null or o.asked_at < now() - $2::interval)
order by a.id
on conflict (account_id) do update set asked_at = excluded.asked_at
returning m.account_id, m.workspace_id
"""
_STORE: Final = """
insert into metric_followers (account_id, day, workspace_id, collected_at, followers, following, posts)
values ($1, ($3::timestamptz at time zone 'UTC')::date, $2, $3, $4, $5, $6)
on conflict (account_id, day) do update set collected_at = excluded.collected_at, followers = excluded.followers,
    following = excluded.following, posts = excluded.posts
"""
_AGAIN: Final = "update metric_account set asked_at = now() - $2::interval where account_id = $1 and workspace_id = $3"


def platforms() -> list[str]:
    """Return the networks whose accounts can be asked."""
    return [key for key in networks.PLATFORMS if (connector := networks.get(key)) and connector.check]


async def dispatch(db: Db, account_ids: Sequence[UUID]) -> int:
    """Write a job for each of these accounts that was not asked for a day; return how many there were."""
    taken = await db.fetch(_TAKE, platforms(), EVERY, account_ids)
    for account_id, workspace_id in taken:
        payload = {"account_id": str(account_id)}
        key = f"{COLLECT}/{account_id}"
        await jobs.enqueue(db, COLLECT, payload, unique_key=key, workspace_id=workspace_id)
    return len(taken)


async def collect(context: AppContext, account_id: UUID) -> None:
    """Ask how many follow an account, and store it for today. Repeating it stores nothing twice.

    The same call checks whether the account still works, so its state follows too.
    """
    async with context.database.connection() as db:
        account = await accounts.by_id(db, account_id)
    if account is None or account.status not in ("active", "expiring"):
        return
    audience = await health.check_audience(context, account)
    async with context.database.transaction() as db:
        if audience is None:
            await db.execute(_AGAIN, account.id, EVERY - AGAIN, account.workspace_id)
        elif audience.is_known:
            numbers = (audience.followers, audience.following, audience.posts)
            await db.execute(_STORE, account.id, account.workspace_id, clock.now(), *numbers)
