"""Posts on the wire. `CreatePost` is also how the room thinks of a wish: an edit is the creation it amounts to."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.kit.wire import Body, Instant, Shape
from signalpost.posts.states import PostStatus, TargetStatus

MediaKey = Annotated[str, Meta(min_length=1, max_length=2048)]
Text = Annotated[str, Meta(max_length=65_000)]
Title = Annotated[str, Meta(max_length=200)]
AltText = Annotated[str, Meta(max_length=1_500)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
IdText = Annotated[str, Meta(min_length=1, max_length=64)]
Link = Annotated[str, Meta(max_length=2048, pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s/]")]
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
PublishMode = Literal["now", "schedule", "draft", "slot"]
ApprovalState = Literal["not_required", "pending", "approved", "changes_requested", "rejected"]
Mode = Literal["live", "test"]
Source = Literal["api", "dashboard", "messaging", "bulk", "fanout", "link", "recurrence"]
Delivery = Literal["live", "inbox", "private"]


# --- what a client sends -------------------------------------------------------------------------------------------


class UserTag(Body):
    """A person in a picture; x and y from the left and top, 0 to 1."""

    username: Name
    x: Annotated[float, Meta(ge=0, le=1)] | None = None
    y: Annotated[float, Meta(ge=0, le=1)] | None = None


class MediaWish(Body):
    """A file of a post: `mediaId`, or `mediaUrl` (a storagePath, or an https address that the service fetches)."""

    media_id: IdText | None = None
    media_url: MediaKey | None = None
    alt_text: AltText | None = None
    thumbnail_media_id: IdText | None = None
    thumbnail_time_ms: Annotated[int, Meta(ge=0, le=86_400_000)] | None = None
    user_tags: Annotated[list[UserTag], Meta(max_length=30)] = field(default_factory=list)


MediaWishes = Annotated[list[MediaWish], Meta(max_length=35)]


class ThreadWish(Body):
    """A further post of a thread."""

    text: Text = ""
    media: MediaWishes = field(default_factory=list)


ThreadWishes = Annotated[list[ThreadWish], Meta(max_length=50)]


class TargetWish(Body):
    """An account, and what is different there; whatever is left out is the post's."""

    account_id: IdText
    text: Text | None = None
    title: Title | None = None
    media: MediaWishes | None = None
    scheduled_at: Time | None = None
    options: TargetOptions | None = None


TargetWishes = Annotated[list[TargetWish], Meta(min_length=1, max_length=100)]
Platforms = Annotated[list[Slug], Meta(min_length=1, max_length=25)]


class Recurrence(Body):
    """A repetition by RFC 5545 rule."""

    rrule: Annotated[str, Meta(min_length=1, max_length=500)]
    timezone: Name | None = None
    until: Time | None = None
    count: Annotated[int, Meta(ge=1, le=365)] | None = None
    variations: Annotated[list[Text], Meta(max_length=365)] = field(default_factory=list)


class Utm(Body):
    """Campaign parameters for links."""

    source: Name | None = None
    medium: Name | None = None
    campaign: Name | None = None
    term: Name | None = None
    content: Name | None = None


class CreatePost(Body):
    """A post: `platforms` (all accounts that the profile has there) or `targets` (single accounts with overrides)."""

    profile_id: IdText
    title: Title | None = None
    text: Text | None = None
    description: Annotated[Text, Meta(description="Another name for `text`.")] | None = None
    media: MediaWishes | None = None
    media_url: MediaKey | None = None
    media_urls: Annotated[list[MediaKey], Meta(max_length=35)] | None = None
    link: Link | None = None
    thread: ThreadWishes = field(default_factory=list)
    first_comment: FirstComment | None = None
    platforms: Platforms | None = None
    targets: TargetWishes | None = None
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


class UpdatePost(Body):
    """What shall be different. `scheduledAt` set: the post is scheduled; null: it becomes a draft."""

    title: Title | UnsetType | None = UNSET
    text: Text | UnsetType = UNSET
    description: Annotated[Text, Meta(description="Another name for `text`.")] | UnsetType = UNSET
    media: MediaWishes | UnsetType = UNSET
    media_url: MediaKey | UnsetType = UNSET
    media_urls: Annotated[list[MediaKey], Meta(max_length=35)] | UnsetType = UNSET
    link: Link | UnsetType | None = UNSET
    thread: ThreadWishes | UnsetType = UNSET
    first_comment: FirstComment | UnsetType | None = UNSET
    platforms: Platforms | UnsetType = UNSET
    targets: TargetWishes | UnsetType = UNSET
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


class ListPosts(Body):
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


class OfProfile(Body):
    """Only posts of this profile."""

    profile_id: IdText | None = None


class TrashHow(Body):
    """`permanent`: delete for good. `cascade`: also remove what was published from the networks."""

    permanent: bool = False
    cascade: bool = False


class Decision(Body):
    """A word to the person who asked."""

    note: Annotated[str, Meta(max_length=2_000)] | None = None


class Rejection(Decision):
    """`changesRequested`: it may come back after an edit; otherwise it is refused as a whole."""

    changes_requested: bool = False


# --- what the service answers --------------------------------------------------------------------------------------

# gc=False: nothing here can be part of a cycle, and a page of posts is hundreds of these objects.


class UserTagRef(Shape, gc=False):
    username: str
    x: float | None
    y: float | None


class MediaRef(Shape, gc=False):
    """A file of a post. `altText` null: the one of the media itself."""

    media_id: str
    alt_text: str | None = None
    thumbnail_media_id: str | None = None
    thumbnail_time_ms: int | None = None
    user_tags: list[UserTagRef] = field(default_factory=list)


class ThreadPart(Shape, gc=False):
    text: str
    media: list[MediaRef]


class Actor(Shape, gc=False):
    type: Literal["user", "api_key", "system"]
    id: str | None
    name: str | None


class Approval(Shape, gc=False):
    state: ApprovalState
    requested_by: Actor | None = None
    decided_by: Actor | None = None
    note: str | None = None
    decided_at: Instant | None = None


class Counts(Shape, gc=False):
    """Targets by how they ended; cancelled ones are left out."""

    total: int
    published: int
    failed: int
    pending: int


class Notice(Shape, gc=False):
    """Something worth knowing that stopped nothing."""

    code: str
    path: str
    message: str
    platform: str | None = None
    account_id: str | None = None


class FirstCommentState(Shape, gc=False):
    status: Literal["none", "pending", "posted", "failed"] = "none"
    id: str | None = None
    error: str | None = None


class TargetError(Shape, gc=False):
    """Why a target failed. `userMessage` is safe to show to anybody."""

    code: str
    category: str
    source: Literal["user", "platform", "system"]
    message: str
    user_message: str
    rule: str | None
    retryable: bool
    http_status: int | None
    platform_code: str | None
    platform_response: str | None
    remediation: str | None
    occurred_at: Instant


class Target(Shape, gc=False):
    """A post on one account. `text`, `media`, `title`, `scheduledAt`, `options` are overrides; null: the post's."""

    id: str
    post_id: str
    account_id: str
    platform: str
    username: str
    status: TargetStatus
    delivery: Delivery | None
    text: str | None
    media: list[MediaRef] | None
    title: str | None
    scheduled_at: Instant | None
    options: dict[str, Any] | None
    platform_post_id: str | None
    url: str | None
    thread_ids: list[str]
    first_comment: FirstCommentState
    attempts: int
    next_attempt_at: Instant | None
    error: TargetError | None
    started_at: Instant | None
    published_at: Instant | None
    removed_at: Instant | None
    metrics: dict[str, Any] | None = None


class Post(Shape, gc=False):
    """A post with its targets."""

    id: str
    profile_id: str
    title: str | None
    text: str
    media: list[MediaRef]
    link: str | None
    thread: list[ThreadPart]
    first_comment: str | None
    platforms: list[str]
    targets: list[Target]
    status: PostStatus
    approval: Approval
    scheduled_at: Instant | None
    timezone: str
    publish_mode: PublishMode
    recurrence: dict[str, Any] | None
    recurrence_parent_id: str | None
    source_post_id: str | None
    fanout_id: str | None
    external_id: str | None
    tags: list[str]
    campaign: str | None
    utm: dict[str, Any] | None
    shorten_links: bool
    notes: str | None
    options: dict[str, dict[str, Any]]
    auto_fit: bool
    allow_duplicate: bool
    counts: Counts
    platform_results: dict[str, list[Target]]
    warnings: list[Notice]
    created_by: Actor
    source: Source
    mode: Mode
    version: int
    created_at: Instant
    updated_at: Instant
    queued_at: Instant | None
    published_at: Instant | None
    deleted_at: Instant | None
    purge_at: Instant | None


class TargetSummary(Shape, gc=False):
    target_id: str
    platform: str
    account_id: str
    username: str
    status: TargetStatus
    delivery: Delivery | None
    url: str | None
    attempts: int
    error: TargetError | None


class PostProgress(Shape, gc=False):
    """How far a post is."""

    post_id: str
    status: PostStatus
    approval: Approval
    published: int
    failed: int
    pending: int
    total: int
    scheduled_at: Instant | None
    next_attempt_at: Instant | None
    targets: list[TargetSummary]
    updated_at: Instant


class Change(Shape, gc=False):
    field: str
    from_: Any
    to: Any


class AuditEntry(Shape, gc=False):
    """One line of a post's history; never changed afterwards."""

    id: str
    at: Instant
    action: str
    actor: Actor
    target_id: str | None
    changes: list[dict[str, Any]] | None
    attempt: dict[str, Any] | None
    request_id: str | None


class PlatformError(Shape, gc=False):
    target_id: str
    platform: str
    code: str
    message: str


class Trashed(Shape, gc=False):
    """`purgeAt`: when it is deleted for good; null when it was just now."""

    id: str
    deleted: bool
    deleted_at: Instant
    purge_at: Instant | None
    platform_errors: list[PlatformError]


class Ended(Shape, gc=False):
    published: int = 0
    failed: int = 0


class Day(Shape, gc=False):
    date: str
    published: int
    failed: int


class NextPost(Shape, gc=False):
    post_id: str
    scheduled_at: Instant


class PostStats(Shape, gc=False):
    """Counts of posts; `byPlatform` and `last7Days` (UTC days) count targets. `successRate` is 0 to 1."""

    profile_id: str | None
    total: int
    by_status: dict[str, int]
    by_platform: dict[str, Ended]
    success_rate: float | None
    last7_days: list[Day]
    next: NextPost | None
    trashed: int


class CheckedTarget(Shape, gc=False):
    """`limit` is the longest text the account takes; `derivedMedia` what would have to be converted."""

    platform: str
    account_id: str
    type: str
    text_length: int
    limit: int
    derived_media: list[dict[str, Any]]


class Checked(Shape, gc=False):
    """What creating this post would say."""

    valid: bool
    errors: list[dict[str, Any]]
    warnings: list[Notice]
    targets: list[CheckedTarget]
