"""Finding what was published, and on which day of its profile."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from signalpost.analytics import queries, schedule
from signalpost.kit import clock, zones
from signalpost.kit.db import Db

ROWS: Final = 2_000
"""How many targets one transaction looks at, or moves to another day."""
ACCOUNTS: Final = 200
"""Of how many accounts."""
PROFILES: Final = 500
"""How many profiles one transaction looks at for a changed zone."""
LOOKS_MAX: Final = 3
"""How often a question looks at accounts that have more than their share of `ROWS`."""
_BEGINNING: Final = UUID(int=0)
"""Before all accounts and profiles."""
OVERLAP: Final = timedelta(hours=1)
"""Longer than any transaction: a target may become visible after one that was published later."""

Position: TypeAlias = tuple[datetime, UUID]
"""A published target, in the order of time: when, and its id."""

# Of each account by the index of targets by account and time, from where the last look ended. Where row-level security
# holds, an index compares only with a plain column: PostgreSQL takes `coalesce` for a function that may leak rows.
# Those that have a row are read as well: what one look reads is bounded, also where all of it is known.
_NEXT: Final = """
with k as materialized (
    select k.account_id, coalesce(k.at, m.scanned_until, '-infinity') as at,
        coalesce(k.id, '00000000-0000-0000-0000-000000000000') as id
    from unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as k(account_id, at, id)
    left join metric_account m on m.account_id = k.account_id
)
select t.id, t.workspace_id, t.post_id, p.profile_id, t.account_id, t.platform, p.mode, t.published_at, f.timezone,
    exists (select from metric_latest l where l.target_id = t.id)
from k cross join lateral (
    select id, workspace_id, post_id, account_id, platform, published_at from target
    where account_id = k.account_id and published_at >= k.at and (published_at, id) > (k.at, k.id)
    order by published_at, id limit $4
) t
join post p on p.id = t.post_id join profile f on f.id = p.profile_id
order by t.account_id, t.published_at, t.id
"""
_ACCOUNTS: Final = "select id from account where id > $1 order by id limit $2"
_OF_WORKSPACE: Final = "select id from account where workspace_id = $1 order by id limit $2"
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
_PROFILES: Final = "select profile_id from metric_profile where profile_id > $1 order by profile_id limit $2"
_MOVED: Final = """
select m.profile_id from metric_profile m join profile p on p.id = m.profile_id
where m.profile_id = any($1) and p.timezone <> m.timezone order by 1
"""
_MOVED_OF_WORKSPACE: Final = """
select m.profile_id from metric_profile m join profile p on p.id = m.profile_id
where m.workspace_id = $1 and p.timezone <> m.timezone order by 1 limit 1
"""
_LOCK: Final = """
select p.timezone, m.moving_to, m.moved_until from metric_profile m join profile p on p.id = m.profile_id
where m.profile_id = $1 for update of m
"""
_OF_PROFILE: Final = """
select target_id, published_at, day from metric_latest
where profile_id = $1 and target_id > $2 order by target_id limit $3
"""
_SET_DAYS: Final = """
update metric_latest l set day = n.day from unnest($1::uuid[], $2::date[]) as n(target_id, day)
where l.target_id = n.target_id
"""
_SET_ZONE: Final = """
update metric_profile set timezone = $2, moving_to = null, moved_until = null where profile_id = $1
"""
_GO_ON: Final = "update metric_profile set moving_to = $2, moved_until = $3 where profile_id = $1"


class Target(NamedTuple):
    """A published target, with the zone of its profile; `has_row`: of its numbers."""

    target_id: UUID
    workspace_id: UUID
    post_id: UUID
    profile_id: UUID
    account_id: UUID
    platform: str
    mode: str
    published_at: datetime
    timezone: str
    has_row: bool


async def accounts(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
    """Return the next accounts after this one."""
    return [record[0] for record in await db.fetch(_ACCOUNTS, after or _BEGINNING, limit)]


async def profiles(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
    """Return the next profiles after this one that have published something."""
    return [record[0] for record in await db.fetch(_PROFILES, after or _BEGINNING, limit)]


async def bring_up_to_date(db: Db, workspace_id: UUID) -> datetime | None:
    """Add what was published in a workspace since the last look, and follow a change of zone; in a transaction.

    What one question does is bounded: the rest is left to `analytics.plan`. Return until when everything that was
    published has its row; None if the workspace has more accounts than are looked at.
    """
    now = clock.actual()
    account_ids = [record[0] for record in await db.fetch(_OF_WORKSPACE, workspace_id, ACCOUNTS + 1)]
    positions: dict[UUID, Position | None] = dict.fromkeys(account_ids[:ACCOUNTS])
    left, rows = ROWS, 0
    for _ in range(LOOKS_MAX):
        if not positions or left < len(positions):
            break
        share = left // len(positions)
        more, rows = await _look(db, positions, share)
        left -= rows
        positions = dict(more)
    moved = [record[0] for record in await db.fetch(_MOVED_OF_WORKSPACE, workspace_id)]
    await follow_zones(db, dict.fromkeys(moved), ROWS)
    if len(account_ids) > ACCOUNTS:
        return None
    return min([now, *(position[0] for position in positions.values() if position)])


async def add_published(db: Db, positions: Mapping[UUID, Position | None], share: int) -> Mapping[UUID, Position]:
    """Give rows to what was published on these accounts, at most `share`; return those that may have more.

    Without a position, from `OVERLAP` before the last one that is known. Those on networks that give numbers get a
    schedule too.
    """
    return (await _look(db, positions, share))[0]


async def _look(db: Db, positions: Mapping[UUID, Position | None], share: int) -> tuple[dict[UUID, Position], int]:
    """Do what `add_published` says; return also how many targets were read."""
    at = [position and position[0] for position in positions.values()]
    after = [position and position[1] for position in positions.values()]
    targets = [Target(*record) for record in await db.fetch(_NEXT, list(positions), at, after, share)]
    if new := [target for target in targets if not target.has_row]:
        await _add(db, new)
    count = Counter(target.account_id for target in targets)
    last = {target.account_id: (target.published_at, target.target_id) for target in targets}
    return {account_id: last[account_id] for account_id, number in count.items() if number >= share}, len(targets)


async def _add(db: Db, targets: Sequence[Target]) -> None:
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


async def follow_zones(db: Db, positions: Mapping[UUID, None], share: int) -> Mapping[UUID, None]:
    """Move posts of these profiles to other days where their zone changed, at most `share`; return those with more.

    How far a profile is stands in its row, so that anyone can go on.
    """
    left: dict[UUID, None] = {}
    for (profile_id,) in await db.fetch(_MOVED, list(positions)):
        locked = await db.fetchrow(_LOCK, profile_id)
        if locked is None:
            continue
        timezone, moving_to, moved_until = locked
        after = moved_until if moving_to == timezone and moved_until else _BEGINNING
        rows = await db.fetch(_OF_PROFILE, profile_id, after, share)
        if moved := [(row[0], day) for row in rows if (day := day_of(row[1], timezone)) != row[2]]:
            await db.execute(_SET_DAYS, *zip(*moved, strict=True))
        if len(rows) < share:
            await db.execute(_SET_ZONE, profile_id, timezone)
        else:
            await db.execute(_GO_ON, profile_id, timezone, rows[-1][0])
            left[profile_id] = None
    return left
