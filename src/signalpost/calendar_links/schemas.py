from typing import Annotated, Literal, get_args

from msgspec import Meta, field

from signalpost.events import Actor
from signalpost.kit.wire import Input, Instant, Output
from signalpost.posts.schemas.files import ShortText
from signalpost.posts.states import POST_STATUSES, PostStatus
from signalpost.web.fields import AccountId, Name, ProfileId

Language = Literal["en", "de", "es"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
FILE_EXAMPLE = "Zk3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4sQe6iT1gVw0M.ics"
DAYS_PAST, DAYS_AHEAD = 30, 180
EVENTS_MAX = 2_000
_OnlyTag = Annotated[ShortText | None, Meta(description="Only posts with this tag.", examples=["spring"])]
_OnlyCampaign = Annotated[ShortText | None, Meta(description="Only posts of this campaign.", examples=["Easter"])]
_OnlyStatuses = Annotated[
    list[PostStatus],
    Meta(description="Only posts with one of these statuses; an empty list: all.", examples=[["scheduled", "queued"]]),
]
_WordsIn = Annotated[Language, Meta(description="The language of the words around the posts.", examples=["en"])]


class CalendarLinkCreate(Input):
    """A calendar of posts, by a link that any calendar program subscribes to."""

    name: Annotated[Name, Meta(description="What the calendar is called.", examples=["Bakery Berlin"])]
    profile_id: Annotated[
        ProfileId | None, Meta(description="Only posts of this profile; else of all that its maker sees.")
    ] = None
    account_id: Annotated[AccountId | None, Meta(description="Only posts with a target on this account.")] = None
    tag: _OnlyTag = None
    campaign: _OnlyCampaign = None
    statuses: Annotated[
        Annotated[list[PostStatus], Meta(max_length=len(POST_STATUSES))],
        Meta(description="Only posts with one of these statuses; an empty list: all.", examples=[["scheduled"]]),
    ] = field(default_factory=list)
    language: _WordsIn = "en"


class CalendarLinkQuery(Input):
    """Which links to list."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only links of this profile.")] = None


class CalendarLink(Output):
    id: str
    name: Annotated[str, Meta(examples=["Bakery Berlin"])]
    profile_id: Annotated[str | None, Meta(description="null: of all profiles that its maker sees.")]
    account_id: str | None
    tag: _OnlyTag
    campaign: _OnlyCampaign
    statuses: _OnlyStatuses
    language: _WordsIn
    created_by: Actor
    created_at: Instant
    rotated_at: Annotated[Instant, Meta(description="Since when it has its address.")]
    last_read_at: Annotated[Instant | None, Meta(description="When a calendar read it last.", examples=[None])]
    url: Annotated[
        str | None,
        Meta(
            description="What to enter in a calendar program: only in the response that creates or rotates it, as its"
            " token is stored as a hash.",
            examples=[None],
        ),
    ]
