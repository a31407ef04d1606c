"""The best times to publish: by the numbers of posts, else by usual times."""

from collections.abc import Sequence
from datetime import UTC, timedelta, tzinfo
from typing import Final

from signalpost import networks
from signalpost.analytics import audience, best_times, period
from signalpost.analytics.actions import ask, discover
from signalpost.analytics.audience import PublishedPost
from signalpost.analytics.best_times import MeasuredPost
from signalpost.analytics.schemas import BestTimes, BestTimesQuery, TimeOfWeek
from signalpost.context import AppContext, HoursByDay, PostsOf
from signalpost.kit import issue_text, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import ValidationFailed
from signalpost.kit.worker_threads import in_thread
from signalpost.plans import limits
from signalpost.web.caller import Caller

RECOMMENDED: Final = 5
HISTORY_DAYS: Final = 365


async def get_best_times(context: AppContext, caller: Caller, query: BestTimesQuery) -> BestTimes:
    """Return the hours of the week, best first.

    Raises:
        ValidationFailed: there is no such platform or zone.
        NotFound: the caller sees no such profile.
    """
    issues = []
    platform = None if query.platform is None else networks.canonical(query.platform)
    if query.platform is not None and platform is None:
        issues.append(issue_text.not_allowed("platform", query.platform, networks.PLATFORMS))
    if query.timezone is not None and zones.zone(query.timezone) is None:
        issues.append(zones.unknown("timezone", query.timezone))
    if issues:
        raise ValidationFailed(errors=issues)
    async with context.database.transaction() as db:
        zone_of_profile = await ask.zone_of(db, caller, query.profile_id)
        timezone = query.timezone or zone_of_profile
        profile_ids = caller.sees_profiles if query.profile_id is None else [query.profile_id]
        whose = PostsOf(caller.workspace_id, caller.mode, caller.plan, profile_ids)
        posts = await _posts(db, whose, platform, timezone)
    ranking = await in_thread(_rank, posts, zones.zone(timezone) or UTC, platform)
    slots = [
        TimeOfWeek(slot.day, slot.hour, slot.score, slot.average, slot.posts, slot.confidence) for slot in ranking.slots
    ]
    return BestTimes(
        platform=platform,
        timezone=timezone,
        basis=ranking.basis,
        sample_size=ranking.sample_size,
        confidence=ranking.confidence,
        slots=slots,
        recommended=slots[:RECOMMENDED],
    )


async def best_hours(db: Db, whose: PostsOf, timezone: str) -> HoursByDay:
    """Return the hours of each day, best first. See `context.BestHours`.

    Numbers without a pattern decide nothing: then the usual times are the better guess.
    """
    posts = await _posts(db, whose, None, timezone)
    ranking = await in_thread(_rank, posts, zones.zone(timezone) or UTC, None)
    if ranking.confidence == "low":
        ranking = best_times.rank([], best_times.usual_grid(None))
    return HoursByDay(ranking.basis, best_times.hours_by_day(ranking.slots))


async def _posts(db: Db, whose: PostsOf, platform: str | None, timezone: str) -> list[PublishedPost]:
    await discover.bring_up_to_date(db, whose.workspace_id)
    today = ask.today_in(timezone)
    days = limits.ANALYTICS_DAYS.of(whose.plan)
    since = period.earliest_shown(today, HISTORY_DAYS if days is None else min(days, HISTORY_DAYS))
    return await audience.posts_by_time(db, whose, since=since, until=today + timedelta(days=1), platform=platform)


def _rank(posts: Sequence[PublishedPost], zone: tzinfo, platform: str | None) -> best_times.BestTimes:
    measured = []
    for post in posts:
        local = post.published_at.astimezone(zone)
        measured.append(MeasuredPost(post.account_id, local.weekday(), local.hour, post.interactions, post.views))
    return best_times.rank(measured, best_times.usual_grid(platform))
