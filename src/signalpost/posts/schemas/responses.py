"""Posts as the service shows them."""

from typing import Any, Literal

from msgspec import field

from signalpost.kit.wire import Instant, Output
from signalpost.posts.states import PostStatus, TargetStatus

PublishMode = Literal["now", "schedule", "draft", "slot"]
ApprovalState = Literal["not_required", "pending", "approved", "changes_requested", "rejected"]
Mode = Literal["live", "test"]
Source = Literal["api", "dashboard", "messaging", "bulk", "fanout", "link", "recurrence"]
Delivery = Literal["live", "inbox", "private"]

# gc=False: nothing here can be part of a cycle, and a page of posts is hundreds of these objects.


class UserTag(Output, gc=False):
    username: str
    x: float | None
    y: float | None


class MediaRef(Output, gc=False):
    """A file of a post. `altText` null: the one of the media itself."""

    media_id: str
    alt_text: str | None = None
    thumbnail_media_id: str | None = None
    thumbnail_time_ms: int | None = None
    user_tags: list[UserTag] = field(default_factory=list)


class ThreadPart(Output, gc=False):
    text: str
    media: list[MediaRef]


class Actor(Output, gc=False):
    type: Literal["user", "api_key", "system"]
    id: str | None
    name: str | None


class Approval(Output, gc=False):
    state: ApprovalState
    requested_by: Actor | None = None
    decided_by: Actor | None = None
    note: str | None = None
    decided_at: Instant | None = None


class TargetCounts(Output, gc=False):
    """Targets by how they ended; cancelled ones are left out."""

    total: int
    published: int
    failed: int
    pending: int


class PostWarning(Output, gc=False):
    """Something worth knowing that stopped nothing."""

    code: str
    path: str
    message: str
    platform: str | None = None
    account_id: str | None = None


class FirstCommentState(Output, gc=False):
    status: Literal["none", "pending", "posted", "failed"] = "none"
    id: str | None = None
    error: str | None = None


class TargetError(Output, gc=False):
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


class Target(Output, gc=False):
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


class Post(Output, gc=False):
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
    counts: TargetCounts
    platform_results: dict[str, list[Target]]
    warnings: list[PostWarning]
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


class TargetSummary(Output, gc=False):
    target_id: str
    platform: str
    account_id: str
    username: str
    status: TargetStatus
    delivery: Delivery | None
    url: str | None
    attempts: int
    error: TargetError | None


class PostProgress(Output, gc=False):
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


class Change(Output, gc=False):
    field: str
    from_: Any
    to: Any


class AuditEntry(Output, gc=False):
    """One line of a post's history; never changed afterwards."""

    id: str
    at: Instant
    action: str
    actor: Actor
    target_id: str | None
    changes: list[dict[str, Any]] | None
    attempt: dict[str, Any] | None
    request_id: str | None


class PlatformError(Output, gc=False):
    target_id: str
    platform: str
    code: str
    message: str


class PostDeletion(Output, gc=False):
    """`purgeAt`: when it is deleted for good; null when it was just now."""

    id: str
    deleted: bool
    deleted_at: Instant
    purge_at: Instant | None
    platform_errors: list[PlatformError]


class PlatformCounts(Output, gc=False):
    published: int = 0
    failed: int = 0


class DayCounts(Output, gc=False):
    date: str
    published: int
    failed: int


class NextPost(Output, gc=False):
    post_id: str
    scheduled_at: Instant


class PostStats(Output, gc=False):
    """Counts of posts; `byPlatform` and `last7Days` (UTC days) count targets. `successRate` is 0 to 1."""

    profile_id: str | None
    total: int
    by_status: dict[str, int]
    by_platform: dict[str, PlatformCounts]
    success_rate: float | None
    last7_days: list[DayCounts]
    next: NextPost | None
    trashed: int


class TargetValidation(Output, gc=False):
    """`limit` is the longest text the account takes; `derivedMedia` what would have to be converted."""

    platform: str
    account_id: str
    type: str
    text_length: int
    limit: int
    derived_media: list[dict[str, Any]]


class PostValidation(Output, gc=False):
    """What creating this post would say."""

    valid: bool
    errors: list[dict[str, Any]]
    warnings: list[PostWarning]
    targets: list[TargetValidation]
