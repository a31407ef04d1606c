"""Finding what was published, and on which day of its profile."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from signalpost.analytics import queries, schedule
from signalpost.kit import clock, zones
from signalpost.kit.db import Db

ACCOUNTS: Final = 200
"""How many accounts one statement looks at."""
PER_ACCOUNT: Final = 200
"""How many targets of each it returns."""
ROUNDS_MAX: Final = 20
"""Of one transaction; what is left is found by the next one."""
BEGINNING: Final = UUID(int=0)
"""Before all accounts."""
OVERLAP: Final = timedelta(hours=1)
"""Longer than any transaction: a target may become visible after one that was published later."""

# Of each account by the index of targets by account and time, from where the last look ended. Where row-level security
# holds, an index compares only with a plain column: PostgreSQL takes `coalesce` for a function that may leak rows.
_NEW: Final = """
with k as materialized (
    select k.account_id, case when $3 then '-infinity' else coalesce(m.scanned_until, '-infinity') end as since
    from unnest($1::uuid[]) as k(account_id) left join metric_account m on m.account_id = k.account_id
)
select t.id, t.workspace_id, t.post_id, p.profile_id, t.account_id, t.platform, p.mode, t.published_at, f.timezone
from k cross join lateral (
    select id, workspace_id, post_id, account_id, platform, published_at from target
    where account_id = k.account_id and published_at >= k.since
        and not exists (select from metric_latest l where l.target_id = target.id)
    order by published_at limit $2
) t
join post p on p.id = t.post_id join profile f on f.id = p.profile_id
"""
_ACCOUNTS: Final = """
select id from account
where id > $1 and ($2::uuid is null or workspace_id = $2) and (not $4 or platform = 'sandbox') order by id limit $3
"""
# Numbers may have been asked for by hand already.
_ADD: Final = """
insert into metric_latest (target_id, workspace_id, post_id, profile_id, account_id, platform, mode, published_at, day,
    collected_at, views, likes, comments, shares, saves, clicks, impressions, reach, watch_time_seconds)
select n.*, m.collected_at, m.views, m.likes, m.comments, m.shares, m.saves, m.clicks, m.impressions, m.reach,
    m.watch_time_seconds
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::timestamptz[],
    $9::date[]) as n(target_id, workspace_id, post_id, profile_id, account_id, platform, mode, published_at, day)
left join lateral (select * from metric where metric.target_id = n.target_id order by bucket desc limit 1) m on true
on conflict (target_id) do nothing
"""
_SCHEDULE: Final = """
insert into metric_schedule (target_id, workspace_id, account_id, published_at, due_at)
select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[])
on conflict (target_id) do nothing
"""
_SCANNED: Final = """
insert into metric_account as m (account_id, workspace_id, scanned_until)
select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
on conflict (account_id) do update set scanned_until = greatest(m.scanned_until, excluded.scanned_until)
"""
_ZONES: Final = """
insert into metric_profile (profile_id, workspace_id, timezone) select * from unnest($1::uuid[], $2::uuid[], $3::text[])
on conflict (profile_id) do nothing
"""
_MOVED: Final = """
select m.profile_id, p.timezone from metric_profile m join profile p on p.id = m.profile_id
where ($1::uuid is null or m.workspace_id = $1) and p.timezone <> m.timezone limit 100
"""
_LOCK: Final = "select from metric_profile where profile_id = $1 for update"
_OF_PROFILE: Final = "select target_id, published_at, day from metric_latest where profile_id = $1"
_SET_DAYS: Final = """
update metric_latest l set day = n.day from unnest($1::uuid[], $2::date[]) as n(target_id, day)
where l.target_id = n.target_id
"""
_SET_ZONE: Final = "update metric_profile set timezone = $2 where profile_id = $1"


class NewTarget(NamedTuple):
    """A published target that has no row yet, with the zone of its profile."""

    target_id: UUID
    workspace_id: UUID
    post_id: UUID
    profile_id: UUID
    account_id: UUID
    platform: str
    mode: str
    published_at: datetime
    timezone: str


async def bring_up_to_date(db: Db, workspace_id: UUID, *, everything: bool = False) -> None:
    """Add what was published in a workspace since the last look, and follow changes of zones; in a transaction.

    `everything`: look at all times of sandbox accounts, for simulated clocks may have published in the past.
    """
    after: UUID | None = BEGINNING
    while after is not None:
        after = await add_published(db, after=after, workspace_id=workspace_id, everything=everything)
    await follow_zones(db, workspace_id)


async def add_published(
    db: Db, *, after: UUID, workspace_id: UUID | None = None, everything: bool = False
) -> UUID | None:
    """Give rows to what was published on the next accounts after this one; return the last of them, None at the end.

    Those on networks that give numbers get a schedule too.
    """
    account_ids = [record[0] for record in await db.fetch(_ACCOUNTS, after, workspace_id, ACCOUNTS, everything)]
    full = account_ids
    for _ in range(ROUNDS_MAX):
        records = await db.fetch(_NEW, full, PER_ACCOUNT, everything) if full else []
        targets = [NewTarget(*record) for record in records]
        if targets:
            await _add(db, targets)
        count: dict[UUID, int] = {}
        for target in targets:
            count[target.account_id] = count.get(target.account_id, 0) + 1
        full = [account_id for account_id, number in count.items() if number == PER_ACCOUNT]
    return account_ids[-1] if len(account_ids) == ACCOUNTS else None


async def _add(db: Db, targets: Sequence[NewTarget]) -> None:
    now = clock.actual()
    columns: list[list[Any]] = [list(column) for column in zip(*[target[:8] for target in targets], strict=True)]
    days = [day_of(target.published_at, target.timezone) for target in targets]
    zone_of = {target.profile_id: target for target in targets}.values()
    await db.execute(
        _ZONES, [target.profile_id for target in zone_of], [target.workspace_id for target in zone_of],
        [target.timezone for target in zone_of],
    )  # fmt: skip
    await db.execute(_ADD, *columns, days)
    measured = queries.platforms()
    numbered = [
        (target.target_id, target.workspace_id, target.account_id, target.published_at, due)
        for target in targets
        if target.platform in measured and (due := _first_due(target.published_at, now)) is not None
    ]
    if numbered:
        await db.execute(_SCHEDULE, *[list(column) for column in zip(*numbered, strict=True)])
    until: dict[UUID, tuple[UUID, datetime]] = {}
    for target in targets:  # of each account in the order of time
        until[target.account_id] = (target.workspace_id, min(target.published_at, now) - OVERLAP)
    workspace_ids, instants = zip(*until.values(), strict=True)
    await db.execute(_SCANNED, list(until), workspace_ids, instants)


def _first_due(published_at: datetime, now: datetime) -> datetime | None:
    """Return when to ask first: what was published lately, at its first moment, even if that has passed."""
    if now - published_at < timedelta(days=2):
        return published_at + timedelta(hours=1)
    return schedule.next_due(published_at, now)


def day_of(instant: datetime, timezone: str) -> date:
    """Return the day of an instant in a zone; in UTC, if this machine no longer knows the zone."""
    return instant.astimezone(zones.zone(timezone) or UTC).date()


async def follow_zones(db: Db, workspace_id: UUID | None = None) -> None:
    """Move posts to other days where the zone of their profile changed."""
    for profile_id, timezone in await db.fetch(_MOVED, workspace_id):
        await db.execute(_LOCK, profile_id)
        rows = await db.fetch(_OF_PROFILE, profile_id)
        moved = [(row[0], day) for row in rows if (day := day_of(row[1], timezone)) != row[2]]
        for start in range(0, len(moved), 5_000):
            ids, days = zip(*moved[start : start + 5_000], strict=True)
            await db.execute(_SET_DAYS, ids, days)
        await db.execute(_SET_ZONE, profile_id, timezone)
