"""Bodies and query strings about posts. An update is the `PostCreate` that it amounts to."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.kit import issue_text
from signalpost.kit.wire import UNAVAILABLE, Input
from signalpost.posts.schemas.files import MediaInputs, MediaUrl, ShortText
from signalpost.posts.schemas.responses import PublishMode
from signalpost.posts.states import PostStatus
from signalpost.profiles.schemas import UtmIn
from signalpost.web.fields import AccountId, ExternalId, FanoutId, MediaId, PlatformSlug, ProfileId, QueueId, TimeZone

Text = Annotated[str, Meta(max_length=65_000)]
Title = Annotated[str, Meta(max_length=200)]
Link = Annotated[
    str,
    Meta(
        max_length=2048,
        pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#\[\]@]+)([/?#]\S*)?$",
        extra={issue_text.FORMAT: issue_text.WEB_ADDRESS},
        examples=["https://example.com/menu"],
    ),
]
Time = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description="RFC 3339 with an offset or Z, or a local time such as 2026-11-21T18:00 in `timezone`.",
        examples=["2026-11-21T18:00:00Z"],
    ),
]
Options = Annotated[
    dict[Annotated[str, Meta(max_length=40)], dict[Annotated[str, Meta(max_length=100)], Any]], Meta(max_length=25)
]
TargetOptions = Annotated[dict[Annotated[str, Meta(max_length=100)], Any], Meta(max_length=50)]
Tags = Annotated[list[ShortText], Meta(max_length=20)]
Campaign = Annotated[str, Meta(max_length=200)]
Notes = Annotated[str, Meta(max_length=10_000)]
FirstComment = Annotated[str, Meta(max_length=10_000)]
MediaUrls = Annotated[list[MediaUrl], Meta(max_length=35)]

_TITLE = Meta(description="The title, for networks that have one.", examples=["Spring menu"])
TEXT = Meta(description="The text of the post.", examples=["Hello from #signalpost"])
DESCRIPTION = Meta(description="Another name for `text`.", examples=["Hello from #signalpost"])
MEDIA = Meta(description="The files, in the order in which they are shown.")
MEDIA_URL = Meta(
    description="Short for `media` with one file: its storagePath, or an https address that the service fetches.",
    examples=["https://example.com/cat.jpg"],
)
MEDIA_URLS = Meta(
    description="Short for `media` with several files: their storagePaths or https addresses.",
    examples=[["https://example.com/cat.jpg"]],
)
THREAD = Meta(
    description="Further posts, published as replies in this order.", examples=[[{"text": "And there is more."}]]
)
_PLATFORMS = Meta(
    description="Networks: the post goes to every account that the profile has there. Send either this or `targets`.",
    examples=[["bluesky"]],
)
_TARGETS = Meta(
    description="Single accounts, with what differs there from the post; of a draft also none. Send either this or"
    " `platforms`.",
)
SCHEDULED_AT = Meta(
    description=(
        "When to publish: RFC 3339 with an offset or Z, or a local time such as 2026-11-21T18:00 in `timezone`. "
        "At most 365 days ahead."
    ),
    examples=["2026-11-21T18:00:00Z"],
)
TIMEZONE = Meta(
    description="The IANA time zone of times without an offset. Default: the profile's.", examples=["Europe/Berlin"]
)
PUBLISH_MODE = Meta(
    description=(
        "Default: `draft` if `draft` is true, `schedule` if there is a `scheduledAt`, else `now`. `slot`: at the next "
        "free slot of a queue."
    ),
    examples=["schedule"],
)
_QUEUE_ID = Meta(
    description="The slot queue, with `publishMode: slot`. Default: the one of its slot, else the profile's default."
)
_RECURRENCE = Meta(
    description=(
        "How the post repeats: each repetition is a post of its own, created when the one before it has become due. "
        "Send null to end that."
    ),
    examples=[{"rrule": "FREQ=WEEKLY;BYDAY=MO", "count": 10}],
)
UTM = Meta(
    description="Campaign parameters, added at publishing to every link of the post that does not have them.",
    examples=[{"campaign": "spring"}],
)
_SHORTEN_LINKS = Meta(description="Shorten links in the text.", extra_json_schema=UNAVAILABLE)
OPTIONS = Meta(
    description="Options by network, as `GET /platforms` lists them.", examples=[{"bluesky": {"languages": ["en"]}}]
)


class ThreadPartIn(Input):
    """A further post of a thread."""

    text: Annotated[Text, Meta(description="The text of this part.", examples=["And there is more."])] = ""
    media: Annotated[MediaInputs, Meta(description="The files of this part.")] = field(default_factory=list)


ThreadInputs = Annotated[list[ThreadPartIn], Meta(max_length=50)]


class TargetIn(Input):
    """An account, and what differs there from the post."""

    account_id: Annotated[AccountId, Meta(description="The account to publish to.")]
    text: Annotated[
        Text | None, Meta(description="The text for this account. Default: the post's.", examples=["Hello, friends"])
    ] = None
    title: Annotated[
        Title | None, Meta(description="The title for this account. Default: the post's.", examples=["Spring menu"])
    ] = None
    media: Annotated[MediaInputs | None, Meta(description="The files for this account. Default: the post's.")] = None
    scheduled_at: Annotated[
        Time | None,
        Meta(
            description="When to publish to this account, as in the post. Default: the post's time.",
            examples=["2026-11-21T18:00:00Z"],
        ),
    ] = None
    options: Annotated[
        TargetOptions | None,
        Meta(description="Options of the network, added to the post's.", examples=[{"languages": ["en"]}]),
    ] = None


TargetInputs = Annotated[list[TargetIn], Meta(max_length=100)]
"""None: of a draft that has no account yet, or no longer."""
Platforms = Annotated[list[PlatformSlug], Meta(min_length=1, max_length=25)]


class RecurrenceIn(Input):
    """A repetition by RFC 5545 rule. It ends after a `count` of posts or at a time, at most 365 posts and ten years."""

    rrule: Annotated[
        Annotated[str, Meta(min_length=1, max_length=500)],
        Meta(
            description=(
                "The RFC 5545 rule: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, WKST, "
                "COUNT, UNTIL."
            ),
            examples=["FREQ=WEEKLY;BYDAY=MO"],
        ),
    ]
    timezone: Annotated[
        TimeZone | None, Meta(description="The time zone of the rule. Default: the post's.", examples=["Europe/Berlin"])
    ] = None
    until: Annotated[Time | None, Meta(description="The end, inclusive.", examples=["2027-11-21T18:00:00Z"])] = None
    count: Annotated[
        Annotated[int, Meta(ge=1, le=365)] | None,
        Meta(description="The number of posts, this one included.", examples=[10]),
    ] = None
    variations: Annotated[
        Annotated[list[Text], Meta(max_length=365)],
        Meta(
            description="Texts of the repetitions, in turn. Default: the post's.",
            examples=[["Good morning", "Good day"]],
        ),
    ] = field(default_factory=list)


class PostAttributes(Input):
    """Members of `PostCreate` and `PostUpdate` that are stored as they are sent, in columns of the same name."""

    title: Annotated[Title | UnsetType | None, _TITLE] = UNSET
    link: Annotated[
        Link | UnsetType | None,
        Meta(description="A link that the post is about.", examples=["https://example.com/menu"]),
    ] = UNSET
    first_comment: Annotated[
        FirstComment | UnsetType | None,
        Meta(description="A comment to publish below the post.", examples=["Recipe in the link."]),
    ] = UNSET
    external_id: Annotated[
        ExternalId | UnsetType | None, Meta(description="Your own id, unique in the workspace.", examples=["cms-4711"])
    ] = UNSET
    tags: Annotated[
        Tags | UnsetType, Meta(description="Labels of your own, to filter by. Not published.", examples=[["spring"]])
    ] = UNSET
    campaign: Annotated[
        Campaign | UnsetType | None, Meta(description="The name of a campaign. Not published.", examples=["spring"])
    ] = UNSET
    notes: Annotated[
        Notes | UnsetType | None, Meta(description="Notes for your team. Not published.", examples=["Ask Ada first."])
    ] = UNSET
    auto_fit: Annotated[
        bool | UnsetType,
        Meta(description="Convert files that a network would refuse, where possible. Default: true.", examples=[True]),
    ] = UNSET
    allow_duplicate: Annotated[
        bool | UnsetType,
        Meta(
            description=(
                "Publish the post even if the same content went to the same account within 24 hours. Default: false."
            ),
            examples=[False],
        ),
    ] = UNSET


class PostCreate(PostAttributes, kw_only=True):
    """A post: `platforms` (all accounts that the profile has there) or `targets` (single accounts with overrides)."""

    profile_id: Annotated[ProfileId, Meta(description="The profile to post from.")]
    text: Annotated[Text | None, TEXT] = None
    description: Annotated[Text | None, DESCRIPTION] = None
    media: Annotated[MediaInputs | None, MEDIA] = None
    media_url: Annotated[MediaUrl | None, MEDIA_URL] = None
    media_urls: Annotated[MediaUrls | None, MEDIA_URLS] = None
    thread: Annotated[ThreadInputs, THREAD] = field(default_factory=list)
    platforms: Annotated[Platforms | None, _PLATFORMS] = None
    targets: Annotated[TargetInputs | None, _TARGETS] = None
    scheduled_at: Annotated[Time | None, SCHEDULED_AT] = None
    timezone: Annotated[TimeZone | None, TIMEZONE] = None
    publish_mode: Annotated[PublishMode | None, PUBLISH_MODE] = None
    queue_id: Annotated[QueueId | None, _QUEUE_ID] = None
    draft: Annotated[bool, Meta(description="Keep the post for later instead of publishing it.")] = False
    recurrence: Annotated[RecurrenceIn | None, _RECURRENCE] = None
    utm: Annotated[UtmIn | UnsetType | None, UTM] = UNSET
    shorten_links: Annotated[bool, _SHORTEN_LINKS] = False
    options: Annotated[Options, OPTIONS] = field(default_factory=dict)


class PostUpdate(PostAttributes, kw_only=True):
    """What to change; absent members stay as they are. `scheduledAt` schedules the post; null makes it a draft."""

    text: Annotated[Text | UnsetType, TEXT] = UNSET
    description: Annotated[Text | UnsetType, DESCRIPTION] = UNSET
    media: Annotated[MediaInputs | UnsetType, MEDIA] = UNSET
    media_url: Annotated[MediaUrl | UnsetType, MEDIA_URL] = UNSET
    media_urls: Annotated[MediaUrls | UnsetType, MEDIA_URLS] = UNSET
    thread: Annotated[ThreadInputs | UnsetType, THREAD] = UNSET
    platforms: Annotated[Platforms | UnsetType, _PLATFORMS] = UNSET
    targets: Annotated[TargetInputs | UnsetType, _TARGETS] = UNSET
    scheduled_at: Annotated[Time | UnsetType | None, SCHEDULED_AT] = UNSET
    timezone: Annotated[TimeZone | UnsetType, TIMEZONE] = UNSET
    publish_mode: Annotated[PublishMode | UnsetType, PUBLISH_MODE] = UNSET
    queue_id: Annotated[QueueId | UnsetType, _QUEUE_ID] = UNSET
    recurrence: Annotated[RecurrenceIn | UnsetType | None, _RECURRENCE] = UNSET
    utm: Annotated[UtmIn | UnsetType | None, UTM] = UNSET
    shorten_links: Annotated[bool | UnsetType, _SHORTEN_LINKS] = UNSET
    options: Annotated[Options | UnsetType, OPTIONS] = UNSET


AskedApproval = Literal["pending", "approved", "changes_requested", "rejected"]
"""The states of an approval that was asked for."""


class PostListQuery(Input):
    """Filters. `from` and `to` compare the moment of a post: its schedule, else its publication, else its creation."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only posts of this profile.")] = None
    status: Annotated[PostStatus | None, Meta(description="Only posts with this status.", examples=["scheduled"])] = (
        None
    )
    platform: Annotated[
        PlatformSlug | None, Meta(description="Only posts with a target on this network.", examples=["bluesky"])
    ] = None
    account_id: Annotated[AccountId | None, Meta(description="Only posts with a target on this account.")] = None
    from_: Annotated[
        Time | None, Meta(description="Only posts from this time on.", examples=["2026-11-01T00:00:00Z"])
    ] = None
    to: Annotated[Time | None, Meta(description="Only posts before this time.", examples=["2026-12-01T00:00:00Z"])] = (
        None
    )
    q: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(
            description="Only posts whose title or text contains this, in any case. In a workspace with many posts, a"
            " page may have fewer than `limit`, or none, while `hasMore` is true: it ends where no more posts were"
            " looked at, and `nextCursor` leads on from there.",
            examples=["menu"],
        ),
    ] = None
    tag: Annotated[ShortText | None, Meta(description="Only posts with this tag.", examples=["spring"])] = None
    external_id: Annotated[
        ExternalId | None, Meta(description="Only the post with this externalId.", examples=["cms-4711"])
    ] = None
    fanout_id: Annotated[FanoutId | None, Meta(description="Only posts of this fan-out.")] = None
    media_id: Annotated[MediaId | None, Meta(description="Only posts that use this file.")] = None
    approval: Annotated[
        AskedApproval | None,
        Meta(description="Only posts with this state of approval; those that wait: `pending`.", examples=["pending"]),
    ] = None
    mine: Annotated[
        bool, Meta(description="Of the posts with the `approval` that is named, only those that you created.")
    ] = False
    sort: Annotated[
        Literal["-createdAt", "createdAt", "-scheduledAt", "scheduledAt"],
        Meta(description="The order; `-` is descending. `scheduledAt` orders by the moment of a post, as `from` does."),
    ] = "-createdAt"


class ProfileQuery(Input):
    """A filter by profile."""

    profile_id: Annotated[ProfileId | None, Meta(description="Only posts of this profile.")] = None


class PostDeleteQuery(Input):
    """How to delete."""

    permanent: Annotated[bool, Meta(description="Delete the post permanently instead of moving it to the trash.")] = (
        False
    )
    cascade: Annotated[bool, Meta(description="Also remove from the networks what was published there.")] = False


class PostApprove(Input):
    """A note on the decision, and the version of the post that it is about."""

    note: Annotated[
        Annotated[str, Meta(max_length=2_000)] | None,
        Meta(description="A note to the author of the post.", examples=["Please mention the opening hours."]),
    ] = None
    version: Annotated[
        Annotated[int, Meta(ge=1, le=999_999_999)] | None,
        Meta(description="The version of the post that was read, as in `If-Match`.", examples=[2]),
    ] = None


class PostReject(PostApprove):
    """A note on the decision, its version, and whether the post may come back."""

    changes_requested: Annotated[
        bool, Meta(description="Request changes: the author offers the post again. Otherwise it is rejected.")
    ] = False
