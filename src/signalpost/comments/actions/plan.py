"""The schedule: which targets are asked for their comments, when, and the jobs that follow from it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from signalpost import networks
from signalpost.engine import jobs
from signalpost.kit.db import Db

COLLECT: Final = "comments.collect"
_KEY: Final = f"{COLLECT}/"
ACCOUNTS: Final = 500
"""How many accounts one transaction looks at."""
ROWS: Final = 2_000
FREQUENCIES: Final = (
    (timedelta(hours=1), timedelta(minutes=5)),
    (timedelta(days=1), timedelta(hours=1)),
    (timedelta(days=30), timedelta(days=1)),
)
"""Up to which age of a post it is asked for how often; an older one is not asked for any more."""

_ACCOUNTS: Final = "select id from account where id > $1 order by id limit $2"
_BEGINNING: Final = UUID(int=0)
# By the index of targets by account and time. A day, so that what a service missed that stood still is added later.
_ADD: Final = """
insert into comment_source (target_id, workspace_id, account_id, published_at, next_attempt_at)
select t.id, t.workspace_id, t.account_id, t.published_at, now()
from account a cross join lateral (
    select id, workspace_id, account_id, published_at from target
    where account_id = a.id and published_at > now() - interval '1 day' and status = 'published'
        and delivery = 'live' and remote_id is not null
    order by published_at desc limit $3) t
where a.id = any($1) and a.platform = any($2) and a.status in ('active', 'expiring')
    and a.last_published_at > now() - interval '1 day'
    and not exists (select from comment_source s where s.target_id = t.id)
on conflict (target_id) do nothing
"""
# Not those whose job waits because the network said so: to write it again would have it run at once.
_DUE: Final = """
select a.id, a.workspace_id from account a
where a.id = any($1) and a.status in ('active', 'expiring')
    and exists (select from comment_source s where s.account_id = a.id and s.next_attempt_at <= now())
    and not exists (select from job j where j.unique_key = $2 || a.id and j.next_attempt_at > now())
order by 1
"""


def platforms() -> list[str]:
    """Return the networks whose connectors read comments."""
    return [key for key in networks.PLATFORMS if (connector := networks.get(key)) and connector.comments]


async def accounts(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
    """Return the next accounts after this one."""
    return [record[0] for record in await db.fetch(_ACCOUNTS, after or _BEGINNING, limit)]


async def dispatch(db: Db, positions: Mapping[UUID, None], share: int) -> Mapping[UUID, None]:
    """Add what these accounts published, and write a job for each that has something due."""
    account_ids = list(positions)
    await db.execute(_ADD, account_ids, platforms(), max(share, 100))
    for account_id, workspace_id in await db.fetch(_DUE, account_ids, _KEY):
        payload = {"account_id": str(account_id)}
        await jobs.enqueue(db, COLLECT, payload, unique_key=f"{_KEY}{account_id}", workspace_id=workspace_id)
    return {}


def next_at(published_at: datetime, now: datetime) -> datetime | None:
    """Return when a post is asked for its comments again; None: not any more."""
    age = now - published_at
    return next((now + every for until, every in FREQUENCIES if age < until), None)
