"""What a client sends about posts. An edit is the `PostCreate` that it amounts to."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.kit.wire import Input
from signalpost.posts.schemas.responses import PublishMode
from signalpost.posts.states import PostStatus

MediaKey = Annotated[str, Meta(min_length=1, max_length=2048)]
Text = Annotated[str, Meta(max_length=65_000)]
Title = Annotated[str, Meta(max_length=200)]
AltText = Annotated[str, Meta(max_length=1_500)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
IdText = Annotated[str, Meta(min_length=1, max_length=64)]
Link = Annotated[
    str, Meta(max_length=2048, pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#\[\]@]+)([/?#]\S*)?$")
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
ExternalId = Annotated[str, Meta(min_length=1, max_length=200)]
Tags = Annotated[list[Name], Meta(max_length=20)]
Campaign = Annotated[str, Meta(max_length=200)]
Notes = Annotated[str, Meta(max_length=10_000)]
FirstComment = Annotated[str, Meta(max_length=10_000)]
Slug = Annotated[str, Meta(min_length=1, max_length=40)]


class UserTagIn(Input):
    """A person in a picture; x and y from the left and top, 0 to 1."""

    username: Name
    x: Annotated[float, Meta(ge=0, le=1)] | None = None
    y: Annotated[float, Meta(ge=0, le=1)] | None = None


class MediaIn(Input):
    """A file of a post: `mediaId`, or `mediaUrl` (a storagePath, or an https address that the service fetches)."""

    media_id: IdText | None = None
    media_url: MediaKey | None = None
    alt_text: AltText | None = None
    thumbnail_media_id: IdText | None = None
    thumbnail_time_ms: Annotated[int, Meta(ge=0, le=86_400_000)] | None = None
    user_tags: Annotated[list[UserTagIn], Meta(max_length=30)] = field(default_factory=list)


MediaInputs = Annotated[list[MediaIn], Meta(max_length=35)]


class ThreadPartIn(Input):
    """A further post of a thread."""

    text: Text = ""
    media: MediaInputs = field(default_factory=list)


ThreadInputs = Annotated[list[ThreadPartIn], Meta(max_length=50)]


class TargetIn(Input):
    """An account, and what is different there; whatever is left out is the post's."""

    account_id: IdText
    text: Text | None = None
    title: Title | None = None
    media: MediaInputs | None = None
    scheduled_at: Time | None = None
    options: TargetOptions | None = None


TargetInputs = Annotated[list[TargetIn], Meta(min_length=1, max_length=100)]
Platforms = Annotated[list[Slug], Meta(min_length=1, max_length=25)]


class Recurrence(Input):
    """A repetition by RFC 5545 rule."""

    rrule: Annotated[str, Meta(min_length=1, max_length=500)]
    timezone: Name | None = None
    until: Time | None = None
    count: Annotated[int, Meta(ge=1, le=365)] | None = None
    variations: Annotated[list[Text], Meta(max_length=365)] = field(default_factory=list)


class Utm(Input):
    """Campaign parameters for links."""

    source: Name | None = None
    medium: Name | None = None
    campaign: Name | None = None
    term: Name | None = None
    content: Name | None = None


class PostCreate(Input):
    """A post: `platforms` (all accounts that the profile has there) or `targets` (single accounts with overrides)."""

    profile_id: IdText
    title: Title | None = None
    text: Text | None = None
    description: Annotated[Text, Meta(description="Another name for `text`.")] | None = None
    media: MediaInputs | None = None
    media_url: MediaKey | None = None
    media_urls: Annotated[list[MediaKey], Meta(max_length=35)] | None = None
    link: Link | None = None
    thread: ThreadInputs = field(default_factory=list)
    first_comment: FirstComment | None = None
    platforms: Platforms | None = None
    targets: TargetInputs | None = None
    scheduled_at: Time | None = None
    timezone: Name | None = None
    publish_mode: PublishMode | None = None
    draft: bool = False
    recurrence: Recurrence | None = None
    external_id: ExternalId | None = None
    tags: Tags = field(default_factory=list)
    campaign: Campaign | None = None
    utm: Utm | None = None
    shorten_links: bool = False
    notes: Notes | None = None
    options: Options = field(default_factory=dict)
    auto_fit: bool = True
    allow_duplicate: bool = False


class PostUpdate(Input):
    """What shall be different. `scheduledAt` set: the post is scheduled; null: it becomes a draft."""

    title: Title | UnsetType | None = UNSET
    text: Text | UnsetType = UNSET
    description: Annotated[Text, Meta(description="Another name for `text`.")] | UnsetType = UNSET
    media: MediaInputs | UnsetType = UNSET
    media_url: MediaKey | UnsetType = UNSET
    media_urls: Annotated[list[MediaKey], Meta(max_length=35)] | UnsetType = UNSET
    link: Link | UnsetType | None = UNSET
    thread: ThreadInputs | UnsetType = UNSET
    first_comment: FirstComment | UnsetType | None = UNSET
    platforms: Platforms | UnsetType = UNSET
    targets: TargetInputs | UnsetType = UNSET
    scheduled_at: Time | UnsetType | None = UNSET
    timezone: Name | UnsetType = UNSET
    publish_mode: PublishMode | UnsetType = UNSET
    recurrence: Recurrence | UnsetType | None = UNSET
    external_id: ExternalId | UnsetType | None = UNSET
    tags: Tags | UnsetType = UNSET
    campaign: Campaign | UnsetType | None = UNSET
    utm: Utm | UnsetType | None = UNSET
    shorten_links: bool | UnsetType = UNSET
    notes: Notes | UnsetType | None = UNSET
    options: Options | UnsetType = UNSET
    auto_fit: bool | UnsetType = UNSET
    allow_duplicate: bool | UnsetType = UNSET


class PostListQuery(Input):
    """Filters. `from` and `to` bound when a post is for: its schedule, else its publication, else its creation."""

    profile_id: IdText | None = None
    status: PostStatus | None = None
    platform: Slug | None = None
    account_id: IdText | None = None
    from_: Time | None = None
    to: Time | None = None
    q: Annotated[str, Meta(max_length=200)] | None = None
    tag: Name | None = None
    external_id: ExternalId | None = None
    fanout_id: IdText | None = None
    sort: Literal["-createdAt", "createdAt", "-scheduledAt", "scheduledAt"] = "-createdAt"


class ProfileQuery(Input):
    """Only posts of this profile."""

    profile_id: IdText | None = None


class PostDeleteQuery(Input):
    """`permanent`: delete for good. `cascade`: also remove what was published from the networks."""

    permanent: bool = False
    cascade: bool = False


class ApprovalDecision(Input):
    """A word to the person who asked."""

    note: Annotated[str, Meta(max_length=2_000)] | None = None


class ApprovalRejection(ApprovalDecision):
    """`changesRequested`: it may come back after an edit; otherwise it is refused as a whole."""

    changes_requested: bool = False
