from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.events import Actor
from signalpost.feeds.states import FeedState, HeldReason, ItemState, PublishMode, ReadError
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import AccountId, ProfileId, QueueId

DAILY_MAX = 50
LATEST_MAX = 20
TEMPLATE_DEFAULT = "{title}\n\n{link}"
Url = Annotated[str, Meta(min_length=8, max_length=2048)]
Template = Annotated[str, Meta(min_length=1, max_length=5_000)]
Word = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]
Filter = Annotated[list[Word], Meta(max_length=50)]
AccountIds = Annotated[list[AccountId], Meta(min_length=1, max_length=100)]
Daily = Annotated[int, Meta(ge=1, le=DAILY_MAX)]

_URL = Meta(
    description="The address of an RSS or Atom feed, or of a page that names one.",
    examples=["https://example.com/blog"],
)
_TEMPLATE = Meta(
    description="The text of a post, with {title}, {summary}, {link}, {author} and {categories} (as hashtags).",
    examples=["{title}\n\n{link}"],
)
_INCLUDE = Meta(description="Only items with one of these words become posts. Default: all.", examples=[["recipe"]])
_EXCLUDE = Meta(description="Items with one of these words become no posts.", examples=[["sponsored"]])
_ACCOUNTS = Meta(
    description="The accounts that the posts are for; null: all of the profile.",
    examples=[["acc_01M7Z0000000000000000000AB"]],
)
_PUBLISH = Meta(
    description="What a new item becomes: a `draft`, a post at the next free `slot` of a queue, or one that is"
    " published `now`. What a network would refuse becomes a draft.",
    examples=["draft"],
)
_QUEUE = Meta(description="The slot queue, with `publishMode: slot`. Default: the profile's default one.")
_DAILY = Meta(
    description="Posts in 24 hours at most; further items wait. If more come at once, the feed is held.", examples=[5]
)


class FeedUpdate(Input):
    """Any subset of the fields. Whoever changes a feed answers for it from then on."""

    account_ids: Annotated[AccountIds | UnsetType | None, _ACCOUNTS] = UNSET
    template: Annotated[Template | UnsetType, _TEMPLATE] = UNSET
    include: Annotated[Filter | UnsetType, _INCLUDE] = UNSET
    exclude: Annotated[Filter | UnsetType, _EXCLUDE] = UNSET
    publish_mode: Annotated[PublishMode | UnsetType, _PUBLISH] = UNSET
    queue_id: Annotated[QueueId | UnsetType | None, _QUEUE] = UNSET
    daily_max: Annotated[Daily | UnsetType, _DAILY] = UNSET
    paused: Annotated[
        bool | UnsetType,
        Meta(description="Whether it rests. False goes on, as `POST /feeds/{id}/resume` does.", examples=[True]),
    ] = UNSET


class FeedCreate(Input):
    """A feed whose new items become posts."""

    profile_id: Annotated[ProfileId, Meta(description="The profile that the posts belong to.")]
    url: Annotated[Url, _URL]
    account_ids: Annotated[AccountIds | None, _ACCOUNTS] = None
    template: Annotated[Template, _TEMPLATE] = TEMPLATE_DEFAULT
    include: Annotated[Filter, _INCLUDE] = field(default_factory=list)
    exclude: Annotated[Filter, _EXCLUDE] = field(default_factory=list)
    publish_mode: Annotated[PublishMode, _PUBLISH] = "draft"
    queue_id: Annotated[QueueId | None, _QUEUE] = None
    daily_max: Annotated[Daily, _DAILY] = 5
    latest: Annotated[
        Annotated[int, Meta(ge=0, le=LATEST_MAX)],
        Meta(
            description="How many of the newest items that are there already become posts too. Default: none, only"
            " what comes later.",
            examples=[0],
        ),
    ] = 0


class FeedPreview(Input):
    """Read an address, and show what its items would become."""

    url: Annotated[Url, _URL]
    profile_id: Annotated[
        ProfileId | None, Meta(description="The profile: texts are shortened to what its accounts allow.")
    ] = None
    account_ids: Annotated[AccountIds | None, _ACCOUNTS] = None
    template: Annotated[Template, _TEMPLATE] = TEMPLATE_DEFAULT
    include: Annotated[Filter, _INCLUDE] = field(default_factory=list)
    exclude: Annotated[Filter, _EXCLUDE] = field(default_factory=list)


class FeedResume(Input):
    """Go on with a feed that is held or paused."""

    waiting: Annotated[
        Literal["post", "skip"],
        Meta(description="What becomes of items that wait: posts in their turn, or nothing.", examples=["post"]),
    ] = "post"


class FeedListQuery(Input):
    """A filter by profile."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only feeds of this profile.")] = None


class FeedFault(Output):
    """Why something did not work, in plain words."""

    code: Annotated[ReadError, Meta(examples=["not_found"])]
    message: Annotated[str, Meta(examples=["The server has nothing at this address (404)."])]


class FeedHold(Output):
    """Why a feed is held."""

    code: Annotated[HeldReason, Meta(examples=["flood"])]
    message: Annotated[str, Meta(examples=["More new items came at once than it may post in a day."])]


class Feed(Output):
    """A feed whose new items become posts."""

    id: str
    profile_id: str
    url: Annotated[str, Meta(examples=["https://example.com/blog"])]
    feed_url: Annotated[
        str | None,
        Meta(description="Where it is read; null until it was found.", examples=["https://example.com/feed.xml"]),
    ]
    title: Annotated[str | None, Meta(description="As the feed says it.", examples=["Bakery blog"])]
    account_ids: Annotated[list[str] | None, Meta(description="Null: all of the profile.", examples=[None])]
    template: Annotated[str, Meta(examples=["{title}\n\n{link}"])]
    include: Annotated[list[str], Meta(examples=[[]])]
    exclude: Annotated[list[str], Meta(examples=[["sponsored"]])]
    publish_mode: Annotated[PublishMode, Meta(examples=["draft"])]
    queue_id: str | None
    daily_max: Annotated[int, Meta(examples=[5])]
    state: Annotated[FeedState, Meta(description="`held`: a person has to look.", examples=["active"])]
    held: FeedHold | None
    waiting: Annotated[int, Meta(description="Items that will become posts.", examples=[0])]
    posted: Annotated[int, Meta(description="Items of the last months that became posts.", examples=[12])]
    last_read_at: Annotated[Instant | None, Meta(description="When it was last read, in vain or not.")]
    last_error: Annotated[FeedFault | None, Meta(description="Why that failed; null: it did not.")]
    next_read_at: Annotated[Instant | None, Meta(description="Null: it is paused or held.")]
    created_by: Annotated[Actor, Meta(description="Who answers for it: made it, or changed it last.")]
    version: Annotated[int, Meta(examples=[1])]
    created_at: Instant
    updated_at: Instant


class FeedItem(Output):
    """An item that was seen in a feed, and what became of it."""

    id: str
    title: Annotated[str, Meta(examples=["Spring menu"])]
    link: Annotated[str | None, Meta(examples=["https://example.com/spring-menu"])]
    published_at: Annotated[Instant | None, Meta(description="As the feed says it.")]
    seen_at: Annotated[Instant, Meta(description="When it was first seen.")]
    state: Annotated[
        ItemState,
        Meta(
            description="`before`: it was there before the feed was set up; `refused`: it could not be posted.",
            examples=["posted"],
        ),
    ]
    reason: Annotated[
        str | None,
        Meta(description="Why it was refused, or became a draft only: the code of a problem.", examples=[None]),
    ]
    post_id: str | None


class FeedPreviewItem(Output):
    """An item as it would be posted."""

    title: Annotated[str, Meta(examples=["Spring menu"])]
    link: Annotated[str | None, Meta(examples=["https://example.com/spring-menu"])]
    published_at: Instant | None
    text: Annotated[str, Meta(examples=["Spring menu\n\nhttps://example.com/spring-menu"])]
    filtered: Annotated[bool, Meta(description="Whether it would become no post.", examples=[False])]


class FeedPreviewed(Output):
    """What is at an address now: the newest items first."""

    feed_url: Annotated[str, Meta(examples=["https://example.com/feed.xml"])]
    title: Annotated[str, Meta(examples=["Bakery blog"])]
    items: list[FeedPreviewItem]
