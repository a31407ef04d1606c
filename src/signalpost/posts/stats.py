"""Figures about posts and their targets."""

from datetime import datetime
from typing import Final

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import READ_SECONDS, Db, Row
from signalpost.posts.schemas.requests import ProfileQuery
from signalpost.posts.schemas.responses import DayCounts, NextPost, PlatformCounts, PostStats
from signalpost.posts.states import POST_STATUSES
from signalpost.web.caller import Caller
from signalpost.web.inputs import require_profile

_VISIBLE: Final = """
p.workspace_id = $1 and ($2::uuid[] is null or p.profile_id = any($2)) and ($3 or p.mode = 'test')
    and ($4::uuid is null or p.profile_id = $4)
"""
_BY_STATUS: Final = f"""
select case when p.deleted_at is not null then 'trashed'
    when p.status = 'scheduled' and p.scheduled_at <= $5 and p.approval ->> 'state' in ('not_required', 'approved')
    then 'queued' else p.status end, count(*)
from post p where {_VISIBLE} group by 1
"""  # noqa: S608 - constants only
_BY_PLATFORM: Final = f"""
select t.platform, count(*) filter (where t.status in ('published', 'removed')),
    count(*) filter (where t.status = 'failed')
from post p join target t on t.post_id = p.id
where {_VISIBLE} and p.deleted_at is null and t.status in ('published', 'removed', 'failed')
group by 1 order by 1
"""  # noqa: S608 - constants only
_BY_DAY: Final = f"""
select (e.at at time zone 'UTC')::date, count(*) filter (where t.status <> 'failed'),
    count(*) filter (where t.status = 'failed')
from post p join target t on t.post_id = p.id cross join lateral (
    select coalesce(t.published_at, (t.error ->> 'occurred_at')::timestamptz, t.updated_at) as at
) e
where {_VISIBLE} and p.deleted_at is null and t.status in ('published', 'removed', 'failed') and e.at >= $5
group by 1
"""  # noqa: S608 - constants only
_NEXT: Final = f"""
select p.id, p.scheduled_at from post p
where {_VISIBLE} and p.deleted_at is null and p.stage = 'scheduled' and p.scheduled_at > $5
order by p.scheduled_at, p.id limit 1
"""  # noqa: S608 - constants only


async def get_stats(context: AppContext, db: Db, caller: Caller, query: ProfileQuery) -> PostStats:
    """Return how many posts there are in each state, and how their targets ended.

    Raises:
        NotFound: the profile is unknown.
    """
    await require_profile(context, db, caller, query.profile_id)
    visible = (caller.workspace_id, caller.sees_profiles, caller.mode == "live", query.profile_id)
    now = clock.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    days = [midnight - clock.seconds(86_400) * back for back in range(6, -1, -1)]
    by_status: dict[str, int] = {
        row[0]: row[1] for row in await db.fetch(_BY_STATUS, *visible, now, timeout=READ_SECONDS)
    }
    trashed = by_status.pop("trashed", 0)
    by_platform = {
        row[0]: PlatformCounts(published=row[1], failed=row[2])
        for row in await db.fetch(_BY_PLATFORM, *visible, timeout=READ_SECONDS)
    }
    by_day = {row[0]: row for row in await db.fetch(_BY_DAY, *visible, days[0], timeout=READ_SECONDS)}
    upcoming = await db.fetchrow(_NEXT, *visible, now, timeout=READ_SECONDS)
    return PostStats(
        profile_id=ids.encode_or_none("prof", query.profile_id),
        total=sum(by_status.values()),
        by_status={status: by_status.get(status, 0) for status in POST_STATUSES},
        by_platform=by_platform,
        success_rate=_success_rate(list(by_platform.values())),
        last7_days=[_day(day, by_day.get(day.date())) for day in days],
        next=None if upcoming is None else _next(upcoming),
        trashed=trashed,
    )


def _success_rate(counts: list[PlatformCounts]) -> float | None:
    published, failed = sum(count.published for count in counts), sum(count.failed for count in counts)
    return round(published / (published + failed), 4) if published + failed else None


def _next(row: Row) -> NextPost:
    return NextPost(post_id=ids.encode("pst", row[0]), scheduled_at=clock.wire(row[1]))


def _day(day: datetime, row: Row | None) -> DayCounts:
    return DayCounts(date=day.date().isoformat(), published=row[1] if row else 0, failed=row[2] if row else 0)
