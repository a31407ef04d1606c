"""The posts of some days: how many there are on each, and the first ones, however many there are in all."""

import asyncio
from bisect import bisect_right
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from signalpost.context import AppContext
from signalpost.kit import clock, zones
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.kit.pace import Pace
from signalpost.kit.problems import Issue, ValidationFailed
from signalpost.kit.wire import encode
from signalpost.posts import queries, views
from signalpost.posts.find import listing
from signalpost.posts.find.filters import MOMENT, conditions_of
from signalpost.posts.schemas.calendar import COUNT_MAX, DAYS_MAX, PER_DAY_MAX, CalendarDay, CalendarQuery, PostCalendar
from signalpost.posts.schemas.requests import PostListQuery
from signalpost.posts.views import StoredPost
from signalpost.web.caller import Caller
from signalpost.web.inputs import require_profile
from signalpost.web.paging import PAGE_BYTES_MAX

_DAYS: Final = "unnest($1::timestamptz[], $2::timestamptz[]) with ordinality d(start, stop, number)"
_OF_DAY: Final = f"{MOMENT} >= d.start and {MOMENT} < d.stop"


class _Days(Struct, frozen=True):
    """Days in a row, and the instants at which they begin; the last one is the end of the last day."""

    dates: list[date]
    starts: list[datetime]

    def place(self, at: datetime) -> int:
        return bisect_right(self.starts, at) - 1


async def read_calendar(context: AppContext, db: Db, caller: Caller, query: CalendarQuery) -> PostCalendar:
    """Return the days, each with its number of posts and the first of them.

    Raises:
        ValidationFailed: there are no such days, or no posts can match.
        NotFound: the profile is unknown.
    """
    zone_name = query.timezone or caller.workspace_timezone
    days = _days(query, zone_name)
    filters = PostListQuery(
        profile_id=query.profile_id,
        status=query.status,
        platform=query.platform,
        account_id=query.account_id,
        tag=query.tag,
    )
    conditions = conditions_of(caller, filters)
    wheres = tuple(sql for sql, _ in conditions)
    values = [value for _, values in conditions for value in values]
    bounds = (days.starts[:-1], days.starts[1:], *values)
    async with asyncio.timeout(READ_SECONDS):
        totals = [row[0] for row in await db.fetch(_totals(wheres), *bounds)]
        records = await db.fetch(_posts(wheres, query.per_day), *bounds) if query.per_day and any(totals) else []
    if not any(totals):
        await require_profile(context, db, caller, query.profile_id)
    posts = await _by_day(days, queries.group_targets(records))
    return PostCalendar(
        timezone=zone_name,
        days=[
            CalendarDay(
                date=day.isoformat(),
                hours=(days.starts[number + 1] - days.starts[number]) / timedelta(hours=1),
                total=totals[number],
                posts=posts[number],
            )
            for number, day in enumerate(days.dates)
        ],
    )


@lru_cache(maxsize=64)
def _totals(wheres: tuple[str, ...]) -> str:
    where, _ = listing.number_parameters(wheres, 3)
    return f"""
select (select count(*) from (select from post p where {where} and {_OF_DAY} limit {COUNT_MAX}) p)
from {_DAYS} order by d.number
"""  # noqa: S608 - constants and numbers


@lru_cache(maxsize=64)
def _posts(wheres: tuple[str, ...], per_day: int) -> str:
    where, _ = listing.number_parameters(wheres, 3)
    order = f"order by {MOMENT}, p.id"
    page = f"""
select {queries.STORED_POST} from {_DAYS}
cross join lateral (select p.* from post p where {where} and {_OF_DAY} {order} limit {per_day}) p {order}
"""  # noqa: S608 - constants and numbers
    return queries.with_targets(page, DAYS_MAX * PER_DAY_MAX)


async def _by_day(days: _Days, stored: Iterable[StoredPost]) -> list[list[Any]]:
    """Return the posts of each day, encoded; those that would make the response too long are counted only."""
    posts: list[list[Any]] = [[] for _ in days.dates]
    size, pace = 0, Pace()
    for row in stored:
        item = encode(views.stored_post(row))
        size += len(item)
        if size > PAGE_BYTES_MAX:
            break
        posts[days.place(listing.moment_of(row))].append(msgspec.Raw(item))
        await pace.keep()
    return posts


def _days(query: CalendarQuery, zone_name: str) -> _Days:
    zone = zones.zone(zone_name)
    if zone is None:
        raise ValidationFailed(errors=[zones.unknown("timezone", zone_name)])
    issues: list[Issue] = []
    first = _day("startDate", query.start_date, clock.now().astimezone(zone).date(), issues)
    last = _day("endDate", query.end_date, first + timedelta(days=6), issues)
    if not issues and last < first:
        issues.append(Issue("endDate", "out_of_range", f"Must not be before startDate, {first}."))
    if not issues and (last - first).days >= DAYS_MAX:
        issues.append(Issue("endDate", "out_of_range", f"At most {DAYS_MAX} days at once."))
    if issues:
        raise ValidationFailed(errors=issues)
    dates = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return _Days(dates, [_start(day, zone) for day in (*dates, last + timedelta(days=1))])


def _start(day: date, zone: tzinfo) -> datetime:
    """Return the first instant of a day: where clocks are put forward at midnight, it begins later."""
    return clock.resolve_local(datetime.combine(day, time()), zone)[0]


_EARLIEST, _LATEST = date(2000, 1, 1), date(2199, 12, 31)


def _day(path: str, text: str | None, default: date, issues: list[Issue]) -> date:
    if not text:
        return default
    try:
        day = date.fromisoformat(text)
    except ValueError:
        issues.append(Issue(path, "format", "The calendar has no such day."))
        return default
    if not _EARLIEST <= day <= _LATEST:
        issues.append(Issue(path, "out_of_range", f"Must be from {_EARLIEST} to {_LATEST}."))
    return day
