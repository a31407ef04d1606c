from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.kit import issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import ProfileId, TimeOfDay, TimeZone

QueueName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"\S",
        extra={issue_text.FORMAT: issue_text.NOT_BLANK},
        description="The name, unique in the profile regardless of case.",
        examples=["Weekday mornings"],
    ),
]
DayOfWeek = Annotated[int, Meta(ge=0, le=6, description="A day of the week; 0 is Monday.", examples=[0])]
Days = Annotated[list[DayOfWeek], Meta(min_length=1, max_length=7)]


class SlotIn(Input):
    """A wall time on some days of the week."""

    time: Annotated[TimeOfDay, Meta(description="The wall time in the zone of the queue.", examples=["09:00"])]
    days: Annotated[
        Days, Meta(description="Days of the week; 0 is Monday. Default: every day.", examples=[[0, 1, 2, 3, 4]])
    ] = field(default_factory=lambda: [0, 1, 2, 3, 4, 5, 6])


SlotInputs = Annotated[list[SlotIn], Meta(min_length=1, max_length=48)]


class QueueUpdate(Input):
    """Any subset of the fields."""

    name: Annotated[
        QueueName | UnsetType,
        Meta(description="The name, unique in the profile regardless of case.", examples=["Weekday mornings"]),
    ] = UNSET
    slots: Annotated[
        SlotInputs | UnsetType,
        Meta(
            description="The times of the week. Posts that have a slot keep their times.",
            examples=[[{"time": "09:00", "days": [0, 1, 2, 3, 4]}, {"time": "17:30", "days": [0, 1, 2, 3, 4]}]],
        ),
    ] = UNSET
    timezone: Annotated[
        TimeZone | UnsetType | None,
        Meta(description="The IANA time zone of the slots; null: the profile's.", examples=["Europe/Berlin"]),
    ] = UNSET
    active: Annotated[
        bool | UnsetType, Meta(description="Whether the queue gives out slots. Default: true.", examples=[True])
    ] = UNSET
    is_default: Annotated[
        bool | UnsetType,
        Meta(
            description="Make it the queue that is used when a post names none; the first queue of a profile is that.",
            examples=[True],
        ),
    ] = UNSET


class QueueCreate(QueueUpdate, kw_only=True):
    """A slot queue."""

    profile_id: Annotated[ProfileId, Meta(description="The profile whose posts use the queue.")]
    name: Annotated[QueueName, Meta(description="The name, unique in the profile regardless of case.")]
    slots: Annotated[
        SlotInputs,
        Meta(
            description="The times of the week.",
            examples=[[{"time": "09:00", "days": [0, 1, 2, 3, 4]}, {"time": "17:30", "days": [0, 1, 2, 3, 4]}]],
        ),
    ]


class QueueListQuery(Input):
    """A filter by profile."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only queues of this profile.")] = None


class SlotPreviewQuery(Input):
    """Which slots to show."""

    from_: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="Show slots after this time. Default: now.", examples=["2026-12-01T00:00:00Z"]),
    ] = None

    count: Annotated[
        Annotated[int, Meta(ge=1, le=100)], Meta(description="The number of slots, 1 to 100.", examples=[20])
    ] = 20


class Slot(Output):
    """A wall time on some days of the week; 0 is Monday."""

    time: Annotated[str, Meta(examples=["09:00"])]
    days: Annotated[list[int], Meta(examples=[[0, 1, 2, 3, 4]])]


class SlotQueue(Output):
    """A named list of weekly times. `timezone` null: the profile's; `effectiveTimezone` is the one that is used."""

    id: str
    profile_id: str
    name: Annotated[str, Meta(examples=["Weekday mornings"])]
    slots: list[Slot]
    timezone: Annotated[str | None, Meta(examples=["Europe/Berlin"])]
    effective_timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    active: Annotated[bool, Meta(examples=[True])]
    is_default: Annotated[bool, Meta(examples=[True])]
    version: Annotated[int, Meta(examples=[1])]
    created_at: Instant
    updated_at: Instant


class UpcomingSlot(Output):
    """A slot to come. `postId`: the post that has it."""

    at: Instant
    local_time: Annotated[str, Meta(description="The wall time in the zone.", examples=["2026-11-23T09:00:00"])]
    free: Annotated[bool, Meta(examples=[True])]
    post_id: str | None


class SlotPreview(Output):
    """The next slots of a queue, and the first free one of them."""

    queue_id: str
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    next_free_at: Instant | None
    slots: list[UpcomingSlot]


class QueueDeletion(Output):
    """A deleted queue. Posts that had a slot keep their times."""

    id: str
    deleted: Annotated[bool, Meta(examples=[True])]
    posts_kept: Annotated[int, Meta(description="Posts still waiting for a slot of the queue.", examples=[3])]
