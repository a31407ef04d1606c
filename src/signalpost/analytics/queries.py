"""Reads of numbers and of their schedule."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost import networks
from signalpost.kit import rows
from signalpost.kit.db import READ_SECONDS, Db

TARGETS_MAX: Final = 1_000
"""How many targets one call of staff schedules."""


class MetricRow(Struct, frozen=True):
    """The numbers of a target since it was published, as the network gave them once. None: it does not give this one.

    One row for each hour in which they were asked for: `bucket`.
    """

    target_id: UUID
    workspace_id: UUID
    account_id: UUID
    bucket: datetime
    collected_at: datetime
    views: int | None = None
    likes: int | None = None
    comments: int | None = None
    shares: int | None = None
    saves: int | None = None
    clicks: int | None = None
    impressions: int | None = None
    reach: int | None = None
    watch_time_seconds: int | None = None


class DueTarget(NamedTuple):
    """A target whose numbers are to be asked for."""

    target_id: UUID
    workspace_id: UUID
    remote_id: str
    published_at: datetime


class PublishedTarget(NamedTuple):
    """A published target; `fresh`: its numbers were asked for within the hour."""

    target_id: UUID
    fresh: bool


_DUE: Final = """
select s.target_id, s.workspace_id, t.remote_id, s.published_at
from metric_schedule s join target t on t.id = s.target_id
where s.account_id = $1 and s.due_at <= now() and t.status = 'published' and t.remote_id is not null
order by s.due_at limit $2
"""
# Not those whose job waits because the network said so: to write it again would have it run at once.
_ACCOUNTS: Final = """
select a.id, a.workspace_id from account a
where a.id = any($1) and a.status in ('active', 'expiring')
    and exists (select from metric_schedule s where s.account_id = a.id and s.due_at <= now())
    and not exists (select from job j where j.unique_key = $2 || a.id and j.next_attempt_at > now())
order by 1
"""
_PUBLISHED: Final = """
select t.id, coalesce(s.collected_at > now() - interval '1 hour', false)
from target t left join metric_schedule s on s.target_id = t.id
where t.status = 'published' and t.remote_id is not null and t.platform = any($1)
    and t.published_at > now() - interval '365 days'
    and t.account_id = any($2) and ($3::uuid[] is null or t.post_id = any($3))
order by t.published_at desc limit $4
"""
_ACCOUNTS_OF: Final = """
select id from account where ($1::uuid is null or profile_id = $1) and ($2::uuid is null or id = $2)
    and ($3::uuid[] is null or id in (select account_id from target where post_id = any($3)))
    and status in ('active', 'expiring')
"""
_COUNT_DUE: Final = """
select count(*) from (select from metric_schedule where due_at <= now() limit 10000) s
"""
_LATEST: Final = f"""
select {rows.columns(MetricRow)} from metric where target_id = $1 and workspace_id = $2 order by bucket
"""  # noqa: S608 - constants only
_read: Final = rows.reader(MetricRow)


def platforms() -> list[str]:
    """Return the networks whose connectors read numbers."""
    return [key for key in networks.PLATFORMS if (connector := networks.get(key)) and connector.metrics]


async def due(db: Db, account_id: UUID, limit: int) -> list[DueTarget]:
    """Return the targets of an account whose numbers are due, those that wait longest first."""
    return [DueTarget(*record) for record in await db.fetch(_DUE, account_id, limit)]


async def due_accounts(db: Db, account_ids: Sequence[UUID], *, job_key: str) -> list[tuple[UUID, UUID]]:
    """Return those of these accounts that have due targets, each with its workspace.

    `job_key`: how the keys of their jobs begin.
    """
    return [(record[0], record[1]) for record in await db.fetch(_ACCOUNTS, account_ids, job_key)]


async def count_due(db: Db) -> int:
    """Return how many targets are due, at most 10,000."""
    return int(await db.fetchval(_COUNT_DUE))


async def published_targets(
    db: Db, *, profile_id: UUID | None, account_id: UUID | None, post_ids: Sequence[UUID] | None
) -> list[PublishedTarget]:
    """Return the published targets of these, the newest first, whose numbers can be asked for."""
    account_ids = [record[0] for record in await db.fetch(_ACCOUNTS_OF, profile_id, account_id, post_ids)]
    records = await db.fetch(_PUBLISHED, platforms(), account_ids, post_ids, TARGETS_MAX, timeout=READ_SECONDS)
    return [PublishedTarget(*record) for record in records]


async def history(db: Db, workspace_id: UUID, target_id: UUID) -> list[MetricRow]:
    """Return all numbers of a target, oldest first."""
    return await rows.read_all(db, _read, _LATEST, target_id, workspace_id)
