"""Figures about posts and their targets."""

from datetime import date
from typing import Final

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import READ_SECONDS, Db, Row
from signalpost.posts.find import counts
from signalpost.posts.schemas.requests import ProfileQuery
from signalpost.posts.schemas.responses import ApprovalCounts, DayCounts, NextPost, PlatformCounts, PostStats
from signalpost.posts.states import POST_STATUSES
from signalpost.web.caller import Caller
from signalpost.web.inputs import require_profile

_VISIBLE: Final = """
p.workspace_id = $1 and ($2::uuid[] is null or p.profile_id = any($2)) and ($3 or p.mode = 'test')
    and ($4::uuid is null or p.profile_id = $4)
"""
_OUTCOMES: Final = {"target_published": "published", "target_failed": "failed"}
# Sums, and the changes that are not added to them yet. The sums of all days together stand under -infinity.
_COUNTS: Final = """
with counted as (
    select profile_id, mode, what, platform, day, count from post_count
    where workspace_id = $1 and (day = '-infinity' or day >= $5)
    union all
    select c.profile_id, c.mode, c.what, c.platform, d.day, c.count
    from post_count_change c cross join lateral (values ('-infinity'::date), (c.day)) d(day)
    where c.workspace_id = $1 and (d.day = '-infinity' or d.day >= $5)
)
select what, platform, case when day <> '-infinity' then day end, sum(count)::bigint from counted
where ($2::uuid[] is null or profile_id = any($2)) and ($3 or mode = 'test')
    and ($4::uuid is null or profile_id = $4)
group by 1, 2, 3 having sum(count) <> 0 order by 2
"""
_ACTIVE: Final = f"""
select p.status, count(*) from post p where {_VISIBLE} and p.deleted_at is null and p.stage = 'active' group by 1
"""  # noqa: S608 - constants only
_OVERDUE: Final = f"""
select count(*) from post p
where {_VISIBLE} and p.deleted_at is null and p.stage in ('draft', 'scheduled') and p.scheduled_at <= $5
    and p.stage = 'scheduled' and p.approval ->> 'state' in ('not_required', 'approved')
"""  # noqa: S608 - constants only
# As long as posts from before the counts are not counted: the same of every post.
_COUNT_ALL: Final = f"""
with seen as (
    select p.id, p.deleted_at, p.status from post p where {_VISIBLE}
)
select case when deleted_at is not null then 'trashed' else status end, '', null, count(*) from seen
where deleted_at is not null or status in ('draft', 'scheduled', 'published', 'partial', 'failed') group by 1
union all
select case when t.status = 'failed' then 'target_failed' else 'target_published' end, t.platform, d.day, count(*)
from seen p join target t on t.post_id = p.id cross join lateral (
    values (null::date),
        ((coalesce(t.published_at, (t.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date)) d(day)
where p.deleted_at is null and t.status in ('published', 'removed', 'failed') and (d.day is null or d.day >= $5)
group by 1, 2, 3 order by 2
"""  # noqa: S608 - constants only
_APPROVALS_MAX: Final = 1_000
_APPROVALS: Final = " union all ".join(
    f"""
select '{state}', count(*) from (
    select from post p
    where {_VISIBLE} and p.deleted_at is null and p.approval ->> 'state' = '{state}' limit {_APPROVALS_MAX}) p
"""  # noqa: S608 - constants only
    for state in ("pending", "changes_requested", "rejected")
)
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
    statement = _COUNTS if await counts.are_complete(db) else _COUNT_ALL
    by_status: dict[str, int] = {}
    by_platform: dict[str, PlatformCounts] = {}
    by_day: dict[date, DayCounts] = {}
    for what, platform, day, count in await db.fetch(statement, *visible, days[0].date(), timeout=READ_SECONDS):
        outcome = _OUTCOMES.get(what)
        if outcome is None:
            by_status[what] = count
        elif day is None:
            of_platform = by_platform.setdefault(platform, PlatformCounts(published=0, failed=0))
            setattr(of_platform, outcome, count)
        else:
            of_day = by_day.setdefault(day, DayCounts(date=day.isoformat(), published=0, failed=0))
            setattr(of_day, outcome, getattr(of_day, outcome) + count)
    trashed = by_status.pop("trashed", 0)
    by_status.update({row[0]: row[1] for row in await db.fetch(_ACTIVE, *visible, timeout=READ_SECONDS)})
    if overdue := await db.fetchval(_OVERDUE, *visible, now, timeout=READ_SECONDS):
        by_status["scheduled"] = by_status.get("scheduled", 0) - overdue
        by_status["queued"] = by_status.get("queued", 0) + overdue
    by_approval = dict(map(tuple, await db.fetch(_APPROVALS, *visible, timeout=READ_SECONDS)))
    upcoming = await db.fetchrow(_NEXT, *visible, now, timeout=READ_SECONDS)
    return PostStats(
        profile_id=ids.encode_or_none("prof", query.profile_id),
        total=sum(by_status.values()),
        by_status={status: by_status.get(status, 0) for status in POST_STATUSES},
        by_approval=ApprovalCounts(**by_approval),
        by_platform=by_platform,
        success_rate=_success_rate(list(by_platform.values())),
        last7_days=[
            by_day.get(day.date(), DayCounts(date=day.date().isoformat(), published=0, failed=0)) for day in days
        ],
        next=None if upcoming is None else _next(upcoming),
        trashed=trashed,
    )


def _success_rate(counts: list[PlatformCounts]) -> float | None:
    published, failed = sum(count.published for count in counts), sum(count.failed for count in counts)
    return round(published / (published + failed), 4) if published + failed else None


def _next(row: Row) -> NextPost:
    return NextPost(post_id=ids.encode("pst", row[0]), scheduled_at=clock.wire(row[1]))
