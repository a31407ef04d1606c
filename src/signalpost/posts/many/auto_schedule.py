"""Spreading drafts over the free times of the days to come."""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice, pairwise
from typing import Final, Literal
from uuid import UUID

from signalpost.context import AppContext, PostsOf
from signalpost.kit import clock, ids, problems, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.posts.many import submission
from signalpost.posts.many.submission import Refusal, StoredDraft
from signalpost.posts.schemas.auto_schedule import AutoScheduled, PostsSchedule, ScheduledPost, SkippedPost
from signalpost.posts.times import AHEAD_MAX, Moment, dst_warning
from signalpost.posts.write import permissions
from signalpost.scheduling.week import ALL_DAYS, SlotTime, WeeklySlot, occurrences
from signalpost.web.caller import Caller

_STEP: Final = 512
"""How many times are looked at by one read."""
_LOCK = "select pg_advisory_xact_lock(hashtextextended('auto-schedule:' || $1::text, 0))"
_TOO_FAR: Final = Refusal("schedule_too_far", f"No time within {AHEAD_MAX.days} days is free on all of its accounts.")
_random = random.SystemRandom()
_DAY_BEGINS, _DAY_ENDS = 8 * 60, 22 * 60
"""Extra times lie between these, or beyond them as far as the times of the day do."""


async def auto_schedule(context: AppContext, db: Db, caller: Caller, data: PostsSchedule) -> AutoScheduled:
    """Schedule drafts for the first times at which none of their accounts publishes anything, in their order.

    Callers of one workspace wait for each other.

    Raises:
        ValidationFailed: the zone or the date is none, or a post is named twice.
        PlanLimitReached: the plan does not cover all posts that could be scheduled; none is.
        Forbidden, InsufficientScope: the caller may not publish.
    """
    permissions.require_publishing(caller)
    zone, start = _require_valid(data)
    await db.execute(_LOCK, str(caller.workspace_id))
    drafts, refused = await submission.lock_drafts(context, db, caller, data.post_ids)
    slots, basis = await _weekly_slots(context, db, caller, data, list(drafts.values()))
    moments = await _moments(db, caller, data, list(drafts.values()), slots, zone, start)
    placed = [draft for post_id, draft in drafts.items() if post_id in moments]
    refused |= {post_id: _TOO_FAR for post_id in drafts if post_id not in moments}
    await submission.schedule_drafts(context, db, caller, placed, moments, data.timezone)
    return AutoScheduled(
        scheduled=[
            ScheduledPost(ids.encode("pst", draft.post.id), clock.wire(moments[draft.post.id].at)) for draft in placed
        ],
        skipped=[
            SkippedPost(ids.encode("pst", post_id), refused[post_id].code, refused[post_id].message)
            for post_id in data.post_ids
            if post_id in refused
        ],
        basis=basis,
    )


def _require_valid(data: PostsSchedule) -> tuple[tzinfo, date]:
    """Return the zone and the first day.

    Raises:
        ValidationFailed: with all issues.
    """
    issues = []
    zone = zones.zone(data.timezone)
    if zone is None:
        issues.append(zones.unknown("/timezone", data.timezone))
    today = clock.now().astimezone(zone or UTC).date()
    start = today + timedelta(days=1)
    if data.start_date is not None:
        try:
            start = date.fromisoformat(data.start_date)
        except ValueError:
            issues.append(Issue("/startDate", "format", "The calendar has no such day."))
        if not today <= start <= today + AHEAD_MAX:
            issues.append(Issue("/startDate", "out_of_range", f"Must be a day from {today} to {today + AHEAD_MAX}."))
    seen: set[UUID] = set()
    for index, post_id in enumerate(data.post_ids):
        if post_id in seen:
            issues.append(Issue(f"/postIds/{index}", "not_unique", "This post is named twice: leave one out."))
        seen.add(post_id)
    if issues or zone is None:
        raise problems.ValidationFailed(errors=issues)
    return zone, start


async def _moments(
    db: Db,
    caller: Caller,
    data: PostsSchedule,
    drafts: Sequence[StoredDraft],
    slots: Sequence[WeeklySlot],
    zone: tzinfo,
    start: date,
) -> dict[UUID, Moment]:
    """Return when each draft is to be published; those without a free time are missing."""
    now = clock.now()
    first = clock.resolve_local(datetime.combine(start, time()), zone)[0]
    after = max(now, first - timedelta(microseconds=1))
    account_ids = list({account_id for draft in drafts for account_id in draft.account_ids})
    placer = _Placer(data, zone, drafts)
    upcoming = occurrences(slots, zone, after, now + AHEAD_MAX - timedelta(minutes=data.jitter_minutes))
    spread = timedelta(minutes=data.jitter_minutes)
    while placer.waiting and (step := list(islice(upcoming, _STEP))):
        busy = await submission.busy_accounts(db, caller.workspace_id, [slot.at for slot in step], account_ids, spread)
        placer.place(step, busy)
    return placer.moments


async def _weekly_slots(
    context: AppContext, db: Db, caller: Caller, data: PostsSchedule, drafts: Sequence[StoredDraft]
) -> tuple[list[WeeklySlot], Literal["slots", "history", "defaults"]]:
    """Return the times of each day of the week, and where they come from."""
    if data.strategy == "slots":
        return weekly_slots(data.time_slots, data.posts_per_day, data.skip_days), "slots"
    profile_ids = list({draft.post.profile_id for draft in drafts})
    whose = PostsOf(caller.workspace_id, caller.mode, caller.plan, profile_ids)
    basis, hours = await context.hooks.best_hours(db, whose, data.timezone)
    return best_slots(hours, data.posts_per_day, data.skip_days), basis


class _Placer:
    """Gives each time to the first of the drafts that wait whose accounts are free then."""

    def __init__(self, data: PostsSchedule, zone: tzinfo, drafts: Sequence[StoredDraft]) -> None:
        self.data = data
        self.zone = zone
        self.waiting = list(drafts)
        self.moments: dict[UUID, Moment] = {}
        self._per_day: Counter[date] = Counter()

    def place(self, step: Sequence[SlotTime], busy: set[tuple[datetime, UUID]]) -> None:
        """Give out these times, at each of which some accounts are busy."""
        for index, slot in enumerate(step):
            day = slot.local.date()
            if self._per_day[day] >= self.data.posts_per_day:
                continue
            draft = next(self._free(slot, busy), None)
            if draft is not None:
                following = step[index + 1].at if index + 1 < len(step) else None
                self._per_day[day] += 1
                self.waiting.remove(draft)
                self.moments[draft.post.id] = self._moment(slot, following)
            if not self.waiting:
                return

    def _free(self, slot: SlotTime, busy: set[tuple[datetime, UUID]]) -> Iterator[StoredDraft]:
        for draft in self.waiting:
            if not any((slot.at, account_id) in busy for account_id in draft.account_ids):
                yield draft

    def _moment(self, slot: SlotTime, following: datetime | None) -> Moment:
        """Return the time of the slot, a little later at random, but before the next one."""
        latest = timedelta(minutes=self.data.jitter_minutes)
        if following is not None:
            latest = min(latest, following - slot.at - timedelta(minutes=1))
        later = timedelta(minutes=_random.randint(0, max(0, int(latest.total_seconds() // 60))))
        at = slot.at + later
        if not later:
            return Moment(at, slot.local, dst_warning(slot.shift, at, self.data.timezone))
        where = at.astimezone(self.zone)
        return Moment(at, None if where.fold else where.replace(tzinfo=None, fold=0))  # a wall time means the first one


def weekly_slots(times: Sequence[str], per_day: int, skip_days: Collection[int]) -> list[WeeklySlot]:
    """Return these times, and extra ones if a day has more posts than times."""
    days = [day for day in ALL_DAYS if day not in skip_days]
    return [WeeklySlot(time, days) for time in spread(times, per_day)]


def best_slots(hours: Sequence[Sequence[int]], per_day: int, skip_days: Collection[int]) -> list[WeeklySlot]:
    """Return as many of the best hours of each day as it has posts; `hours`: those of each day, best first."""
    return [
        WeeklySlot(f"{hour:02}:00", [day])
        for day in ALL_DAYS
        if day not in skip_days
        for hour in sorted(hours[day][:per_day])
    ]


def spread(times: Iterable[str], count: int) -> list[str]:
    """Return the times in their order; if they are fewer than `count`, with more in the middle of the widest gaps.

    Gaps of less than two minutes stay as they are.
    """
    minutes = sorted({int(time[:2]) * 60 + int(time[3:]) for time in times})
    while len(minutes) < count:
        edges = [min(_DAY_BEGINS, minutes[0]), *minutes, max(_DAY_ENDS, minutes[-1])]
        wide = max(((later - earlier, -earlier) for earlier, later in pairwise(edges)), default=(0, 0))
        width, earlier = wide[0], -wide[1]
        if width < 2:
            break
        minutes = sorted({*minutes, earlier + width // 2})
    return [f"{minute // 60:02}:{minute % 60:02}" for minute in minutes]
