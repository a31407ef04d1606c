"""Figures of all workspaces. Each statement reads a bounded number of rows, however many are stored."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.billing import differences
from signalpost.engine.contract import EngineStatus
from signalpost.kit import clock, ids
from signalpost.kit.db import READ_SECONDS, Database, Db

SAMPLE_ROWS: Final = 20_000
"""A table with more rows is counted by a random part of its pages, with about so many."""
COUNT_MAX: Final = 10_000
CREATED_MAX: Final = 100_000
ITEMS_MAX: Final = 100
_DAY: Final = timedelta(days=1)

# As the planner does: rows a page when it was last analyzed, times the pages that there are now.
_SIZES: Final = """
select relname::text, (case when reltuples > 0 and relpages > 0 then reltuples / relpages else 40 end
    * pg_relation_size(oid) / current_setting('block_size')::int)::float8
from pg_class where relnamespace = 'public'::regnamespace and relname = any($1)
"""
_USERS: Final = "select count(*) from app_user tablesample system ($1)"
_WORKSPACES: Final = "select count(*) from workspace tablesample system ($1) where deleted_at is null"
_PROFILES: Final = "select count(*) from profile tablesample system ($1) where deleted_at is null"
_STORAGE: Final = """
select coalesce(sum(size_bytes), 0)::int8 from media tablesample system ($1) where status not in ('deleted', 'failed')
"""
_ACCOUNTS: Final = """
select status, platform, count(*) from account tablesample system ($1) where status <> 'disconnected' group by 1, 2
"""
_POSTS: Final = "select status, count(*) from post tablesample system ($1) where deleted_at is null group by 1"
_CREATED: Final = """
select count(*) from (select from post where id >= $1 and deleted_at is null limit $2) p
"""
_RATES: Final = """
select t.platform, avg((t.status = 'published')::int)::float8
from (
    select distinct target_id from (
        select target_id from attempt where id >= $1 order by id desc limit 20000) newest
) a join target t on t.id = a.target_id
where t.status in ('published', 'failed') group by 1 order by 1
"""
# Lanes tell where something is due, so that what is due next year is not looked at.
_DUE_LANES: Final = """
select key, owner from lane where kind = 'target' and next_due_at <= now() order by next_due_at limit 500
"""
_QUEUE: Final = f"""
select (select count(*) from (select from target where next_attempt_at is not null limit $1) w),
    (select count(*) from (
        select from ({_DUE_LANES}) l cross join lateral (
            select from target t where t.account_id = l.key and t.next_attempt_at <= now() limit $1) d
        limit $1) r),
    (select count(*) from (select from lane where owner is not null and kind = 'target' limit $1) h)
"""  # noqa: S608 - constants only
_ITEMS: Final = f"""
select d.post_id, d.id, d.workspace_id, d.account_id, d.platform, l.owner is not null, d.next_attempt_at, d.attempts
from ({_DUE_LANES}) l cross join lateral (
    select * from target t where t.account_id = l.key and t.next_attempt_at <= now() order by t.next_attempt_at limit $1
) d
order by d.next_attempt_at, d.id limit $1
"""  # noqa: S608 - constants only
# The next look for an unknown outcome is an hour away at most, so its lane is among these.
_OUTCOMES: Final = """
select count(*) from (
    select key from lane where kind = 'target' and next_due_at <= now() + interval '75 minutes'
    order by next_due_at limit 500) l
cross join lateral (
    select from target t where t.account_id = l.key and t.next_attempt_at is not null and t.status = 'unknown'
    limit 1000) u
"""
_WORKERS: Final = """
select w.id, w.host, w.seen_at, (select count(*) from lane l where l.owner = w.id) from worker w order by w.id limit $1
"""
_DELIVERIES: Final = """
select (select count(*) from (select from delivery where due_at is not null limit $2) p),
    (select count(*) from (
        select from (select state, mode from (
            select d.state, w.delivery_mode as mode from delivery d join webhook w on w.id = d.webhook_id
            where d.id >= $1 order by d.id desc limit $2) n) x
        where state = 'permanently_failed' or (state = 'failed' and mode = 'single')) f)
"""


class Count(NamedTuple):
    """Numbers by name, and whether they come from a sample."""

    numbers: Mapping[tuple[str, ...], int]
    estimated: bool

    @property
    def total(self) -> int:
        return sum(self.numbers.values())

    def by(self, position: int) -> dict[str, int]:
        """Return the sums by one of the names."""
        sums: Counter[str] = Counter()
        for names, number in self.numbers.items():
            sums[names[position]] += number
        return dict(sorted(sums.items()))


class Queue(NamedTuple):
    """Numbers of targets; see `QueueFigures`."""

    waiting: int
    ready: int
    leased: int


class Figures(Struct, frozen=True, kw_only=True):
    """What `GET /admin/stats` shows, apart from the engine's status."""

    users: Count
    workspaces: Count
    profiles: Count
    accounts: Count
    posts: Count
    storage: Count
    created: int
    rates: Mapping[str, float]
    queue: Queue
    pending: int
    failed: int
    differences: int


class DueTarget(NamedTuple):
    """A target that is due; `leased`: a worker holds its account."""

    post_id: UUID
    id: UUID
    workspace_id: UUID
    account_id: UUID
    platform: str
    leased: bool
    next_attempt_at: datetime
    attempts: int


class WorkerRow(NamedTuple):
    """A process that runs the engine."""

    id: UUID
    host: str
    seen_at: datetime
    leases: int


_SAMPLED: Final[Mapping[str, tuple[Literal["app_user", "workspace", "profile", "account", "post", "media"], str]]] = {
    "users": ("app_user", _USERS),
    "workspaces": ("workspace", _WORKSPACES),
    "profiles": ("profile", _PROFILES),
    "accounts": ("account", _ACCOUNTS),
    "posts": ("post", _POSTS),
    "storage": ("media", _STORAGE),
}


async def figures(database: Database) -> Figures:
    """Read the figures of the installation, on two connections."""

    async def sampled() -> dict[str, Count]:
        async with database.connection() as db:
            sizes = {row[0]: row[1] for row in await db.fetch(_SIZES, [table for table, _ in _SAMPLED.values()])}
            return {name: await count(db, sql, sizes[table]) for name, (table, sql) in _SAMPLED.items()}

    async def bounded() -> tuple[int, dict[str, float], Queue, tuple[int, int, int]]:
        since = ids.first_at(clock.now() - _DAY)
        async with database.connection() as db:
            created = await db.fetchval(_CREATED, since, CREATED_MAX, timeout=READ_SECONDS)
            rates = {row[0]: row[1] for row in await db.fetch(_RATES, since, timeout=READ_SECONDS)}
            deliveries = await db.fetchrow(_DELIVERIES, since, COUNT_MAX, timeout=READ_SECONDS) or (0, 0)
            waiting = await differences.count_open(db)
            return created, rates, await queue(db), (deliveries[0], deliveries[1], waiting)

    counts, (created, rates, queued, (pending, failed, waiting)) = await asyncio.gather(sampled(), bounded())
    return Figures(
        **counts, created=created, rates=rates, queue=queued, pending=pending, failed=failed, differences=waiting
    )


async def count(db: Db, sql: str, rows: float) -> Count:
    """Return the numbers of a statement over a sample, scaled; exact if the table is small."""
    percent = min(100.0, 100.0 * SAMPLE_ROWS / max(rows, 1.0))
    records = await db.fetch(sql, percent, timeout=READ_SECONDS)
    numbers = {tuple(record[:-1]): round(record[-1] * 100.0 / percent) for record in (tuple(row) for row in records)}
    return Count(numbers, percent < 100.0)


async def accounts_by_status(db: Db) -> dict[str, int]:
    """Return how many accounts are connected, by their state; of a large table an estimate."""
    rows = await db.fetch(_SIZES, ["account"], timeout=READ_SECONDS)
    return (await count(db, _ACCOUNTS, float(rows[0][1]))).by(0)


async def outcomes_waiting(db: Db) -> int:
    """Return how many targets with an unknown outcome wait to be looked for, in the 500 accounts that are due next."""
    return int(await db.fetchval(_OUTCOMES, timeout=READ_SECONDS))


async def queue(db: Db) -> Queue:
    """Return how many targets wait, are due, and how many accounts are worked on."""
    row = await db.fetchrow(_QUEUE, COUNT_MAX, timeout=READ_SECONDS) or (0, 0, 0)
    return Queue(max(0, row[0] - row[1]), row[1], row[2])


async def due_targets(db: Db) -> list[DueTarget]:
    """Return due targets of all workspaces, those that wait longest first."""
    return [DueTarget(*record) for record in await db.fetch(_ITEMS, ITEMS_MAX, timeout=READ_SECONDS)]


async def workers(db: Db) -> list[WorkerRow]:
    """Return the processes that run the engine."""
    return [WorkerRow(*record) for record in await db.fetch(_WORKERS, ITEMS_MAX)]


def overdue(engine: EngineStatus | None) -> int | None:
    """Return how many targets are overdue; None: this process cannot tell."""
    backlog = engine.sources.get("target") if engine else None
    return backlog.overdue if backlog else None
