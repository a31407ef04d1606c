"""Answering questions about numbers: first what was published since the last look is added, then the sums are read."""

from datetime import UTC, date, datetime, time
from typing import Final
from uuid import UUID

from signalpost.accounts import queries as account_queries
from signalpost.analytics import audience, period, totals, views
from signalpost.analytics.actions import discover
from signalpost.analytics.period import Days
from signalpost.analytics.schemas import AccountAnalytics, AccountsQuery, Overview, OverviewQuery, PostAnalytics
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.kit.pace import Pace
from signalpost.kit.problems import NotFound
from signalpost.kit.wire import Listing
from signalpost.plans import limits
from signalpost.posts.rows import PostRow
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId
from signalpost.web.inputs import require_profile
from signalpost.web.paging import Page

_STEP: Final = 50


async def overview(context: AppContext, caller: Caller, query: OverviewQuery) -> Overview:
    """Return how the posts of a period have done so far.

    Raises:
        ValidationFailed: the days make no period.
        NotFound: the caller sees no such profile.
    """
    async with context.database.transaction() as db:
        timezone = await zone_of(db, caller, query.profile_id)
        days = days_of(caller, query, timezone)
        until = await discover.bring_up_to_date(db, caller.workspace_id)
        sums = await totals.of_period(db, caller, days, query.profile_id)
        previous = None
        if is_shown(caller, days.previous.start, timezone):
            previous = await totals.total_of(db, caller, days.previous, query.profile_id)
        top = await totals.top_posts(db, caller, days, query.profile_id, measured=sums.total.measured)
    return views.overview(days, sums, previous, top, timezone=timezone, until=until)


async def accounts(context: AppContext, caller: Caller, query: AccountsQuery, page: Page) -> Listing[AccountAnalytics]:
    """Return how many follow each account, and how its posts did.

    Raises:
        NotFound: the caller sees no such profile.
    """
    async with context.database.transaction() as db:
        rows = await account_queries.visible(db, caller, page, profile_id=query.profile_id, include_disconnected=False)
        if not rows:
            await require_profile(context, db, caller, query.profile_id)
        await discover.bring_up_to_date(db, caller.workspace_id)
        today = clock.now().date()
        days_shown = limits.ANALYTICS_DAYS.of(caller.plan)
        since = period.EARLIEST if days_shown is None else period.earliest_shown(today, days_shown)
        account_ids = [row.id for row in page.trim(rows)]
        audiences = await audience.of_accounts(db, caller, account_ids, today=today, since=since)
    return await page.of_large(rows, lambda row: views.account(row, audiences[row.id]))


async def of_post(db: Db, caller: Caller, post: PostRow) -> PostAnalytics:
    """Return the numbers of a post, now and over time."""
    targets = await totals.of_post(db, caller.workspace_id, post.id)
    platforms = {row.target_id: row.platform for row in targets}
    since = datetime.min.replace(tzinfo=UTC)
    if (days_shown := limits.ANALYTICS_DAYS.of(caller.plan)) is not None:
        earliest = period.earliest_shown(clock.now().date(), days_shown)
        since = datetime.combine(earliest, time(), UTC)
    records, clipped = await totals.history(db, caller.workspace_id, list(platforms), since)
    history, pace = [], Pace()
    for start in range(0, len(records), _STEP):
        history += [views.metrics_at(record, platforms) for record in records[start : start + _STEP]]
        await pace.keep()
    return PostAnalytics(
        post_id=ids.encode("pst", post.id),
        metrics=[views.target_metrics(row) for row in targets],
        history=history[::-1],
        clipped=clipped,
    )


async def zone_of(db: Db, caller: Caller, profile_id: UUID | None) -> str:
    """Return the zone of a profile; of none in particular, that of the workspace.

    Raises:
        NotFound: the caller sees no such profile.
    """
    if profile_id is None:
        return caller.workspace_timezone
    profile = await profiles.find_mine(db, caller, profile_id)
    if profile is None:
        raise NotFound(errors=[ProfileId.not_found("profileId")])
    return profile.timezone


def days_of(caller: Caller, query: OverviewQuery, timezone: str) -> Days:
    """Return the days that a query means.

    Raises:
        ValidationFailed: they make no period.
    """
    days_shown = limits.ANALYTICS_DAYS.of(caller.plan)
    return period.resolve(query.start_date, query.end_date, today=today_in(timezone), days_shown=days_shown)


def today_in(timezone: str) -> date:
    """Return the day that it is in a zone."""
    return discover.day_of(clock.now(), timezone)


def is_shown(caller: Caller, day: date, timezone: str) -> bool:
    """Whether the plan shows this day, and all later ones."""
    days_shown = limits.ANALYTICS_DAYS.of(caller.plan)
    return days_shown is None or day >= period.earliest_shown(today_in(timezone), days_shown)
