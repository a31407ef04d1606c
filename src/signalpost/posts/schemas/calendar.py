"""The posts of some days, as calendars show them."""

from typing import Annotated

from msgspec import Meta

from signalpost.kit.wire import Input, Output
from signalpost.posts.schemas.files import ShortText
from signalpost.posts.schemas.responses import Post
from signalpost.posts.states import PostStatus
from signalpost.web.fields import AccountId, Day, PlatformSlug, ProfileId, TimeZone

DAYS_MAX = 42
"""Six weeks: what a calendar shows of a month."""
PER_DAY_MAX = 20
COUNT_MAX = 10_000
DayNumber = Annotated[int, Meta(ge=0, le=PER_DAY_MAX)]


class CalendarQuery(Input):
    """Which days, and which posts of them."""

    start_date: Annotated[
        Day | None, Meta(description="The first day. Default: today in the time zone.", examples=["2026-11-01"])
    ] = None
    end_date: Annotated[
        Day | None,
        Meta(
            description=f"The last day, at most {DAYS_MAX} days in all. Default: six days after the first one.",
            examples=["2026-11-30"],
        ),
    ] = None
    timezone: Annotated[
        TimeZone | None, Meta(description="The zone whose days are meant. Default: that of the workspace.")
    ] = None
    per_day: Annotated[
        DayNumber,
        Meta(description="How many posts to return of each day, the earliest ones; 0 counts only.", examples=[3]),
    ] = 3
    profile_id: Annotated[ProfileId | None, Meta(description="Only posts of this profile.")] = None
    status: Annotated[PostStatus | None, Meta(description="Only posts with this status.", examples=["scheduled"])] = (
        None
    )
    platform: Annotated[
        PlatformSlug | None, Meta(description="Only posts with a target on this network.", examples=["bluesky"])
    ] = None
    account_id: Annotated[AccountId | None, Meta(description="Only posts with a target on this account.")] = None
    tag: Annotated[ShortText | None, Meta(description="Only posts with this tag.", examples=["spring"])] = None


class CalendarDay(Output):
    """A day, and the first posts of it."""

    date: Annotated[str, Meta(extra_json_schema={"format": "date"}, examples=["2026-11-21"])]
    hours: Annotated[float, Meta(description="Its length: 23 or 25 where clocks change.", examples=[24])]
    total: Annotated[int, Meta(description=f"How many posts it has, counted up to {COUNT_MAX:,}.", examples=[1])]
    posts: list[Post]


class PostCalendar(Output):
    """Days with their posts. A post stands at its moment: its schedule, else its publication, else its creation."""

    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    days: list[CalendarDay]
