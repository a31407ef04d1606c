"""Reads of sums over days, and of the newest numbers of posts: for a test key of test posts, else of live ones."""

from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.analytics.period import Days
from signalpost.kit import rows
from signalpost.kit.db import READ_SECONDS, Database, Db
from signalpost.web.caller import Caller

TOP_POSTS: Final = 5
EXCERPT_CHARACTERS: Final = 140
"""So much of its text tells a post without a title from others."""
SORTED_MAX: Final = 2_000
"""So many posts are sorted to find the best ones; of more, an index does."""
HISTORY_ROWS_MAX: Final = 5_000


class SumRow(Struct, frozen=True):
    """Sums of posts; of each number also of how many posts it is the sum, `x_n`."""

    posts: int = 0
    measured: int = 0
    views: int = 0
    likes: int = 0
    comments: int = 0
    shares: int = 0
    saves: int = 0
    impressions: int = 0
    views_n: int = 0
    likes_n: int = 0
    comments_n: int = 0
    shares_n: int = 0
    saves_n: int = 0
    impressions_n: int = 0
    engaged: int = 0
    over_impressions: int = 0
    over_reach: int = 0
    over_views: int = 0


class Sums(NamedTuple):
    """Sums of a period: of all of it, of each day and of each network."""

    total: SumRow
    by_day: dict[date, SumRow]
    by_platform: dict[str, SumRow]
    collected_at: datetime | None


class TopRow(Struct, frozen=True):
    """A post on one network with its newest numbers."""

    post_id: UUID
    title: str | None
    excerpt: str
    platform: str
    url: str | None
    views: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    impressions: int | None
    reach: int | None
    interactions: int | None


class TargetNumbersRow(Struct, frozen=True):
    """A published target with its newest numbers, if there are any."""

    target_id: UUID
    platform: str
    account_id: UUID
    status: str
    published_at: datetime
    removed_at: datetime | None
    due_at: datetime | None
    collected_at: datetime | None
    views: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    saves: int | None
    clicks: int | None
    impressions: int | None
    reach: int | None
    watch_time_seconds: int | None


class ExportRow(Struct, frozen=True):
    """A post on one network with its newest numbers, as a row of an export."""

    post_id: UUID
    target_id: UUID
    profile_id: UUID
    account_id: UUID
    platform: str
    title: str | None
    excerpt: str
    url: str | None
    day: date
    published_at: datetime
    collected_at: datetime | None
    views: int | None
    likes: int | None
    comments: int | None
    shares: int | None
    saves: int | None
    clicks: int | None
    impressions: int | None
    reach: int | None
    watch_time_seconds: int | None
    interactions: int | None


_SUMS: Final = ", ".join(f"sum({name})::bigint as {name}" for name in SumRow.__struct_fields__)
_OF_CALLER: Final = """
workspace_id = $1 and mode = $2 and day between $3 and $4
    and ($5::uuid is null or profile_id = $5) and ($6::uuid[] is null or profile_id = any($6))
"""
# Most of the work is the sum of each day; the other sums are made of these.
_PERIOD: Final = f"""
with d as materialized (
    select day, platform, max(collected_at) as collected_at, {_SUMS} from metric_day where {_OF_CALLER}
    group by day, platform having sum(posts) > 0
)
select day, null as platform, max(collected_at), {_SUMS} from d group by day
union all select null, platform, max(collected_at), {_SUMS} from d group by platform
union all select null, null, max(collected_at), {_SUMS} from d having sum(posts) > 0
"""  # noqa: S608 - constants only
_TOTAL: Final = f"select {_SUMS} from metric_day where {_OF_CALLER} having sum(posts) > 0"  # noqa: S608 - constants only


_EXCERPT: Final = f"left(p.text, {EXCERPT_CHARACTERS}) as excerpt"


def _top(order: str) -> str:
    return f"""
    select m.post_id, p.title, {_EXCERPT}, m.platform, t.url, m.views, m.likes, m.comments, m.shares, m.impressions,
        m.reach, m.interactions
    from (
        select * from metric_latest where {_OF_CALLER} and collected_at is not null order by {order} limit {TOP_POSTS}
    ) m
    join post p on p.id = m.post_id join target t on t.id = m.target_id
    order by m.views desc nulls last, m.interactions desc nulls last, m.published_at desc
    """  # noqa: S608 - constants only


# The same order twice. With an index: soon there, if many posts are of the period. By sorting those of the period.
_TOP_OF_MANY: Final = _top("views desc nulls last, interactions desc nulls last, published_at desc")
_TOP_OF_FEW: Final = _top("coalesce(views, -1) desc, coalesce(interactions, -1) desc, published_at desc")
NUMBERS: Final = (
    "views", "likes", "comments", "shares", "saves", "clicks", "impressions", "reach", "watch_time_seconds",
)  # fmt: skip
_OF_POST: Final = f"""
select t.id, t.platform, t.account_id, t.status, t.published_at, t.removed_at, s.due_at, m.collected_at,
    {", ".join(f"m.{name}" for name in NUMBERS)}
from target t left join metric_schedule s on s.target_id = t.id
left join lateral (select * from metric where metric.target_id = t.id order by bucket desc limit 1) m on true
where t.post_id = $1 and t.workspace_id = $2 and t.published_at is not null and t.status in ('published', 'removed')
order by t.position
"""  # noqa: S608 - constants only
_HISTORY: Final = f"""
select target_id, collected_at, {", ".join(NUMBERS)} from metric
where target_id = any($1) and workspace_id = $2 and collected_at >= $3
order by collected_at desc, target_id limit $4
"""  # noqa: S608 - constants only
_HAS_OLDER: Final = """
select exists (select from metric where target_id = any($1) and workspace_id = $2 and collected_at < $3)
"""
_EXPORT: Final = f"""
select m.post_id, m.target_id, m.profile_id, m.account_id, m.platform, p.title, {_EXCERPT}, t.url, m.day,
    m.published_at, m.collected_at, {", ".join(f"m.{name}" for name in NUMBERS)}, m.interactions
from (
    select * from metric_latest where {_OF_CALLER} and day >= $7 and (day, target_id) > ($7, $8)
    order by day, target_id limit $9
) m
join post p on p.id = m.post_id join target t on t.id = m.target_id order by m.day, m.target_id
"""  # noqa: S608 - constants only
_read_sums: Final = rows.reader(SumRow)
_read_top: Final = rows.reader(TopRow)
_read_target: Final = rows.reader(TargetNumbersRow)
_read_export: Final = rows.reader(ExportRow)


async def of_period(db: Db, caller: Caller, days: Days, profile_id: UUID | None) -> Sums:
    """Return the sums of the posts that were published on these days and that the caller sees."""
    sums = Sums(SumRow(), {}, {}, None)
    for day, platform, collected_at, *values in await db.fetch(
        _PERIOD, *_arguments(caller, days, profile_id), timeout=READ_SECONDS
    ):
        row = _read_sums(values)
        if day is not None:
            sums.by_day[day] = row
        elif platform is not None:
            sums.by_platform[platform] = row
        else:
            sums = sums._replace(total=row, collected_at=collected_at)
    return sums


async def total_of(db: Db, caller: Caller, days: Days, profile_id: UUID | None) -> SumRow:
    """Return the sums of all posts of a period."""
    record = await db.fetchrow(_TOTAL, *_arguments(caller, days, profile_id), timeout=READ_SECONDS)
    return SumRow() if record is None else _read_sums(record)


async def top_posts(db: Db, caller: Caller, days: Days, profile_id: UUID | None, *, measured: int) -> list[TopRow]:
    """Return the posts of a period with the most views; `measured`: how many of them have numbers."""
    if not measured:
        return []
    statement = _TOP_OF_MANY if measured > SORTED_MAX else _TOP_OF_FEW
    records = await db.fetch(statement, *_arguments(caller, days, profile_id), timeout=READ_SECONDS)
    return [_read_top(record) for record in records]


async def of_post(db: Db, workspace_id: UUID, post_id: UUID) -> list[TargetNumbersRow]:
    """Return the published targets of a post with their newest numbers."""
    return await rows.read_all(db, _read_target, _OF_POST, post_id, workspace_id)


async def history(db: Db, workspace_id: UUID, target_ids: Sequence[UUID], since: datetime) -> tuple[list[Any], bool]:
    """Return all numbers of these targets since then, newest first, and whether there are older ones."""
    records = await db.fetch(_HISTORY, target_ids, workspace_id, since, HISTORY_ROWS_MAX + 1, timeout=READ_SECONDS)
    if len(records) > HISTORY_ROWS_MAX:
        return records[:HISTORY_ROWS_MAX], True
    return records, bool(await db.fetchval(_HAS_OLDER, target_ids, workspace_id, since))


async def export_rows(
    database: Database, caller: Caller, days: Days, profile_id: UUID | None, chunk: int
) -> AsyncIterator[list[ExportRow]]:
    """Yield the posts of a period with their newest numbers, day by day, so many at once."""
    after_day, after_id = days.start, UUID(int=0)
    while True:
        arguments = (*_arguments(caller, days, profile_id), after_day, after_id, chunk)
        async with database.connection() as db:
            records = await db.fetch(_EXPORT, *arguments, timeout=READ_SECONDS)
        if records:
            rows_read = [_read_export(record) for record in records]
            yield rows_read
            after_day, after_id = rows_read[-1].day, rows_read[-1].target_id
        if len(records) < chunk:
            return


def _arguments(caller: Caller, days: Days, profile_id: UUID | None) -> tuple[Any, ...]:
    return caller.workspace_id, caller.mode, days.start, days.end, profile_id, caller.sees_profiles
