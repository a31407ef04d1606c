from typing import Annotated, Literal

from msgspec import Meta, field

from signalpost.kit.wire import Input, Instant, Output
from signalpost.scheduling.schemas import DayOfWeek
from signalpost.web.fields import Day, PostId, TimeOfDay, TimeZone


class PostsSchedule(Input):
    """Which drafts to schedule, and when."""

    post_ids: Annotated[
        Annotated[list[PostId], Meta(min_length=1, max_length=100)],
        Meta(description="The drafts, in the order in which they are to be published."),
    ]
    posts_per_day: Annotated[
        Annotated[int, Meta(ge=1, le=24)], Meta(description="How many of them to publish on a day.", examples=[4])
    ] = 4
    start_date: Annotated[
        Day | None, Meta(description="The first day, in `timezone`. Default: tomorrow.", examples=[None])
    ] = None
    time_slots: Annotated[
        Annotated[list[TimeOfDay], Meta(min_length=1, max_length=24)],
        Meta(description="The wall times of a day.", examples=[["09:00", "12:00", "17:00", "20:00"]]),
    ] = field(default_factory=lambda: ["09:00", "12:00", "17:00", "20:00"])
    timezone: Annotated[TimeZone, Meta(description="The IANA time zone of the wall times.")] = "UTC"
    skip_days: Annotated[
        Annotated[list[DayOfWeek], Meta(max_length=6)],
        Meta(description="Days of the week without posts; 0 is Monday.", examples=[[5, 6]]),
    ] = field(default_factory=list)
    strategy: Annotated[
        Literal["slots", "best_times"],
        Meta(description="`slots`: at `timeSlots`; `best_times`: at the hours of each day that do best."),
    ] = "slots"
    jitter_minutes: Annotated[
        Annotated[int, Meta(ge=0, le=120)],
        Meta(description="Publish up to so many minutes later than the wall time, at random.", examples=[0]),
    ] = 0


class ScheduledPost(Output):
    """A draft that was scheduled, for a time at which none of its accounts publishes anything else."""

    post_id: str
    scheduled_at: Instant


class SkippedPost(Output):
    """A post that stays as it was, and why: the code of the problem that submitting it would raise."""

    post_id: str
    code: Annotated[str, Meta(examples=["invalid_state"])]
    message: Annotated[str, Meta(examples=["Only drafts are scheduled; this post is published."])]


class AutoScheduled(Output):
    """What was scheduled and what was not. `basis`: where the times of day come from."""

    scheduled: list[ScheduledPost]
    skipped: list[SkippedPost]
    basis: Annotated[
        Literal["slots", "history", "defaults"],
        Meta(
            description="`slots`: `timeSlots`; `history`: the numbers of your posts, as in best times; `defaults`:"
            " times that usually do best, since these numbers show no pattern.",
            examples=["slots"],
        ),
    ]
