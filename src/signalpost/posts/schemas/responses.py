"""Posts, targets and their figures as the API shows them."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from signalpost.events import Actor
from signalpost.kit import ids
from signalpost.kit.wire import Instant, Output
from signalpost.posts import states
from signalpost.profiles.schemas import Utm

PublishMode = Annotated[Literal["now", "schedule", "draft", "slot"], Meta(examples=["now"])]
ApprovalState = Annotated[
    Literal["not_required", "pending", "approved", "changes_requested", "rejected"], Meta(examples=["not_required"])
]
PostStatus = Annotated[states.PostStatus, Meta(examples=["queued"])]
TargetStatus = Annotated[states.TargetStatus, Meta(examples=["pending"])]
Mode = Annotated[Literal["live", "test"], Meta(examples=["live"])]
Source = Annotated[
    Literal["api", "dashboard", "messaging", "bulk", "fanout", "link", "recurrence"], Meta(examples=["api"])
]
Delivery = Annotated[Literal["live", "inbox", "private"], Meta(examples=["live"])]
Platform = Annotated[str, Meta(examples=["bluesky"])]
Username = Annotated[str, Meta(examples=["acme.bsky.social"])]
Held = Annotated[
    bool, Meta(description="Whether the post is on the queue but cannot be published for now.", examples=[False])
]
HoldReason = Annotated[
    states.HeldReason | Literal["network"] | None,
    Meta(description="What the post waits for. `network`: its rate limit, until `heldUntil`."),
]
HeldUntil = Annotated[Instant | None, Meta(description="When the wait is over, if that is known.")]
HeldMessage = Annotated[
    str | None,
    Meta(
        description="What the post waits for, in words. `warnings` say what to do.",
        examples=["The account acme on mastodon has to be connected again."],
    ),
]
Url = Annotated[str | None, Meta(examples=["https://bsky.app/profile/acme.bsky.social/post/3kabcdefghij2"])]

# gc=False: nothing here can be part of a cycle, and a page of posts is hundreds of these objects.


class UserTag(Output, gc=False):
    """A person in a picture."""

    username: Annotated[str, Meta(examples=["ada"])]
    x: Annotated[float | None, Meta(examples=[0.5])]
    y: Annotated[float | None, Meta(examples=[0.25])]


class Crop(Output, gc=False):
    """The part of a picture that is sent, as it is seen upright: shares of its width and height, 0 to 1."""

    x: Annotated[float, Meta(examples=[0.1])]
    y: Annotated[float, Meta(examples=[0.0])]
    width: Annotated[float, Meta(examples=[0.8])]
    height: Annotated[float, Meta(examples=[1.0])]


class MediaRef(Output, gc=False):
    """A file of a post. `altText` null: the one of the file itself."""

    media_id: str
    alt_text: Annotated[str | None, Meta(examples=["A cat on a windowsill"])]
    thumbnail_media_id: str | None
    thumbnail_time_ms: int | None
    user_tags: list[UserTag]
    crops: Annotated[dict[str, Crop], Meta(description="What is sent of the picture, by network.", examples=[{}])]


class ThreadPart(Output, gc=False):
    """A further post of a thread."""

    text: Annotated[str, Meta(examples=["And there is more."])]
    media: list[MediaRef]


class Approval(Output, gc=False):
    """Whether someone has to approve the post, who asked, and who decided."""

    state: ApprovalState
    requested_by: Actor | None
    requested_at: Instant | None
    decided_by: Actor | None
    note: str | None
    decided_at: Instant | None


class TargetCounts(Output, gc=False):
    """Targets by result; cancelled ones are left out."""

    total: Annotated[int, Meta(examples=[1])]
    published: Annotated[int, Meta(examples=[0])]
    failed: Annotated[int, Meta(examples=[0])]
    pending: Annotated[int, Meta(examples=[1])]


class PostWarning(Output, gc=False):
    """Something worth knowing that did not stop the post."""

    code: Annotated[str, Meta(examples=["bluesky.media.alt_text"])]
    path: Annotated[str, Meta(examples=["/media/0"])]
    message: Annotated[str, Meta(examples=["This picture has no alternative text."])]
    platform: Annotated[str | None, Meta(examples=["bluesky"])]
    account_id: str | None
    remediation: Annotated[str | None, Meta(description="What to do about it.", examples=[None])]


class FirstCommentState(Output, gc=False):
    """How far the first comment is."""

    status: Annotated[Literal["none", "pending", "posted", "failed"], Meta(examples=["none"])]
    id: str | None
    error: str | None


class TargetError(Output, gc=False):
    """Why a target failed. Anyone may see `userMessage`."""

    code: Annotated[str, Meta(examples=["text_too_long"])]
    category: Annotated[str, Meta(examples=["user_content"])]
    source: Annotated[Literal["user", "platform", "system"], Meta(examples=["user"])]
    message: Annotated[str, Meta(examples=["The text has 301 characters; Bluesky allows 300."])]
    user_message: Annotated[str, Meta(examples=["The text is too long for this network."])]
    rule: Annotated[str | None, Meta(examples=["bluesky.text.length"])]
    retryable: Annotated[bool, Meta(examples=[False])]
    http_status: Annotated[int | None, Meta(examples=[400])]
    platform_code: Annotated[str | None, Meta(examples=["InvalidRequest"])]
    platform_response: str | None
    remediation: Annotated[str | None, Meta(examples=["Shorten the text for this target, then send it again."])]
    occurred_at: Instant


class Target(Output, gc=False):
    """A post on one account. `text`, `media`, `title`, `scheduledAt`, `options` are overrides; null: the post's."""

    id: str
    post_id: str
    account_id: str
    platform: Platform
    username: Username
    status: TargetStatus
    delivery: Delivery | None
    text: str | None
    media: list[MediaRef] | None
    title: str | None
    scheduled_at: Instant | None
    options: dict[str, Any] | None
    platform_post_id: str | None
    url: Url
    thread_ids: Annotated[list[str], Meta(examples=[[]])]
    first_comment: FirstCommentState
    attempts: Annotated[int, Meta(examples=[1])]
    next_attempt_at: Instant | None
    error: TargetError | None
    started_at: Instant | None
    published_at: Instant | None
    removed_at: Instant | None
    metrics: dict[str, Any] | None = None


class Recurrence(Output, gc=False):
    """A repetition by RFC 5545 rule."""

    rrule: Annotated[str, Meta(examples=["FREQ=WEEKLY;BYDAY=MO"])]
    timezone: str | None
    until: str | None
    count: int | None
    variations: Annotated[list[str], Meta(examples=[["Good morning", "Good day"]])]


class Post(Output, gc=False):
    """A post with its targets."""

    id: str
    profile_id: str
    title: Annotated[str | None, Meta(examples=["Spring menu"])]
    text: Annotated[str, Meta(examples=["Hello from #signalpost"])]
    media: list[MediaRef]
    link: Annotated[str | None, Meta(examples=["https://example.com/menu"])]
    thread: Annotated[list[ThreadPart], Meta(examples=[[]])]
    first_comment: str | None
    platforms: list[Platform]
    targets: list[Target]
    status: PostStatus
    held: Held
    held_reason: HoldReason
    held_until: HeldUntil
    held_message: HeldMessage
    approval: Approval
    scheduled_at: Instant | None
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    publish_mode: PublishMode
    recurrence: Recurrence | None
    recurrence_parent_id: str | None
    source_post_id: str | None
    fanout_id: str | None
    external_id: Annotated[str | None, Meta(examples=["cms-4711"])]
    tags: Annotated[list[str], Meta(examples=[["spring"]])]
    campaign: Annotated[str | None, Meta(examples=["spring"])]
    utm: Utm | None
    shorten_links: Annotated[bool, Meta(examples=[False])]
    notes: str | None
    options: Annotated[dict[str, dict[str, Any]], Meta(examples=[{"bluesky": {"languages": ["en"]}}])]
    auto_fit: Annotated[bool, Meta(examples=[True])]
    allow_duplicate: Annotated[bool, Meta(examples=[False])]
    counts: TargetCounts
    platform_results: dict[str, list[Target]]
    warnings: Annotated[list[PostWarning], Meta(examples=[[]])]
    created_by: Actor
    source: Source
    mode: Mode
    version: Annotated[int, Meta(examples=[1])]
    created_at: Instant
    updated_at: Instant
    queued_at: Instant | None
    published_at: Instant | None
    deleted_at: Instant | None
    purge_at: Instant | None


class TargetSummary(Output, gc=False):
    """A target in short."""

    target_id: str
    platform: Platform
    account_id: str
    username: Username
    status: TargetStatus
    delivery: Delivery | None
    url: Url
    attempts: Annotated[int, Meta(examples=[1])]
    error: TargetError | None


class PostProgress(Output, gc=False):
    """How far a post is."""

    post_id: str
    status: PostStatus
    held: Held
    held_reason: HoldReason
    held_until: HeldUntil
    held_message: HeldMessage
    approval: Approval
    published: Annotated[int, Meta(examples=[0])]
    failed: Annotated[int, Meta(examples=[0])]
    pending: Annotated[int, Meta(examples=[1])]
    total: Annotated[int, Meta(examples=[1])]
    scheduled_at: Instant | None
    next_attempt_at: Instant | None
    targets: list[TargetSummary]
    updated_at: Instant


class FieldChange(Output, gc=False):
    """A changed field, with its values before and after."""

    field: Annotated[str, Meta(examples=["text"])]
    before: Any = msgspec.field(name="from")
    after: Any = msgspec.field(name="to")


class AttemptRecord(Output, gc=False):
    """The request of an attempt, and the network's response; both without secrets."""

    number: Annotated[int, Meta(examples=[1])]
    duration_ms: Annotated[int, Meta(examples=[84])]
    request: Annotated[
        dict[str, Any] | None, Meta(examples=[{"method": "POST", "host": "bsky.social", "path": "/xrpc"}])
    ]
    http_status: Annotated[int | None, Meta(examples=[200])]
    response: str | None


class AuditEntry(Output, gc=False):
    """An entry of a post's audit log; it never changes."""

    id: Annotated[str, Meta(examples=[ids.example("aud")])]
    at: Instant
    action: Annotated[str, Meta(examples=["created"])]
    actor: Actor
    target_id: str | None
    changes: list[FieldChange] | None
    attempt: AttemptRecord | None
    request_id: Annotated[str | None, Meta(examples=["req_5f1c0de5f1c0de5f1c0d"])]


class PlatformError(Output, gc=False):
    """A target that could not be removed from its network."""

    target_id: str
    platform: Platform
    code: Annotated[str, Meta(examples=["delete_not_supported"])]
    message: Annotated[str, Meta(examples=["bluesky does not let a service delete posts; delete it there."])]


class PostDeletion(Output, gc=False):
    """A deleted post. `purgeAt`: when it will be deleted permanently; null: it is already."""

    id: str
    deleted: Annotated[bool, Meta(examples=[True])]
    deleted_at: Instant
    purge_at: Instant | None
    platform_errors: Annotated[list[PlatformError], Meta(examples=[[]])]
    pending: Annotated[
        bool,
        Meta(
            description="Whether a network is still being asked to remove it: `GET /posts/{id}/audit` says what became"
            " of that.",
            examples=[False],
        ),
    ]
    warnings: Annotated[
        list[PostWarning],
        Meta(description="Where it stays public, since the request had no `cascade=true`.", examples=[[]]),
    ]


class PlatformCounts(Output, gc=False):
    """Targets of a network by result."""

    published: Annotated[int, Meta(examples=[12])]
    failed: Annotated[int, Meta(examples=[1])]


class DayCounts(Output, gc=False):
    """Targets of a UTC day by result."""

    date: Annotated[str, Meta(examples=["2026-11-21"])]
    published: Annotated[int, Meta(examples=[3])]
    failed: Annotated[int, Meta(examples=[0])]


class NextPost(Output, gc=False):
    """The next scheduled post."""

    post_id: str
    scheduled_at: Instant


class ApprovalCounts(Output, gc=False):
    """How many posts wait for approval, and how many came back from it. At most 1,000 of each are counted."""

    pending: Annotated[int, Meta(examples=[1])]
    changes_requested: Annotated[int, Meta(examples=[0])]
    rejected: Annotated[int, Meta(examples=[0])]


class PostStats(Output, gc=False):
    """Counts of posts; `byPlatform` and `last7Days` (UTC days) count targets. `successRate` is 0 to 1."""

    profile_id: str | None
    total: Annotated[int, Meta(examples=[14])]
    by_status: Annotated[dict[str, int], Meta(examples=[{"scheduled": 2, "published": 11, "failed": 1}])]
    by_approval: ApprovalCounts
    by_platform: dict[str, PlatformCounts]
    success_rate: Annotated[float | None, Meta(examples=[0.9231])]
    last7_days: list[DayCounts]
    next: NextPost | None
    trashed: Annotated[int, Meta(examples=[0])]
