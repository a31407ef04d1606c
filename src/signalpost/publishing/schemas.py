"""The queue on the wire."""

from typing import Annotated, Literal

from msgspec import Meta, field

from signalpost.kit import issue_text
from signalpost.kit.ids import example
from signalpost.kit.wire import Input, Instant, Output
from signalpost.posts.schemas.requests import Time
from signalpost.posts.schemas.responses import Held, HeldMessage, HeldUntil, HoldReason, PostWarning, TargetError
from signalpost.publishing.states import QueueState, TaskState
from signalpost.web.fields import TargetId

EntryId = Annotated[str, Meta(examples=[example("que")])]
Platform = Annotated[str, Meta(examples=["bluesky"])]


class PostSubmit(Input):
    """When to publish the post."""

    scheduled_at: Annotated[
        Time | None,
        Meta(
            description="When to publish: RFC 3339 with an offset or Z, or a local time in the post's `timezone`."
            " Defaults to the post's own time if that lies ahead, otherwise to now."
        ),
    ] = None


class PostRetry(Input):
    """Which failed targets to try again."""

    target_ids: Annotated[
        Annotated[list[TargetId], Meta(min_length=1, max_length=100)] | None,
        Meta(description="The failed targets to try again. Defaults to all of them."),
    ] = None
    include_unknown: Annotated[
        bool, Meta(description="Also try targets whose outcome is unknown: they are posted again.", examples=[False])
    ] = False


class TargetResolve(Input):
    """What someone saw at the account, where the network did not say whether it has the post."""

    target_id: Annotated[TargetId, Meta(description="The target whose outcome is unknown.", examples=[example("tgt")])]
    outcome: Annotated[
        Literal["published", "not_published"],
        Meta(description="`published`: it is there. `not_published`: it is not, and is sent again now."),
    ]
    url: Annotated[
        Annotated[
            str, Meta(max_length=2048, pattern=r"^https?://[^\s]+$(?!\n)", extra={issue_text.FORMAT: "Must be a URL."})
        ]
        | None,
        Meta(description="Where the post is, if you know.", examples=["https://social.example/@acme/1"]),
    ] = None


class QueueProcess(Input):
    """How much work to do."""

    limit: Annotated[
        int, Meta(ge=1, le=500, description="The maximum number of items of each kind of work.", examples=[50])
    ] = 50


class QueueTask(Output):
    """A target on the queue."""

    target_id: str
    platform: Platform
    state: TaskState
    attempts: int
    run_at: Annotated[Instant | None, Meta(description="When the target is looked at next.")]
    last_error: TargetError | None


class QueueEntry(Output):
    """A post on the queue."""

    id: EntryId
    post_id: str
    state: QueueState
    held: Held
    held_reason: HoldReason
    held_until: HeldUntil
    held_message: HeldMessage
    warnings: Annotated[
        list[PostWarning], Meta(description="What keeps targets waiting, and what to do.", examples=[[]])
    ]
    run_at: Annotated[Instant | None, Meta(description="When the first waiting target is looked at next.")]
    priority: Annotated[int, Meta(examples=[5])]
    attempts: int
    tasks: list[QueueTask]
    position: Annotated[
        int | None, Meta(description="The position among the workspace's due posts on the same accounts, from 1.")
    ]
    leased_until: Annotated[Instant | None, Meta(description="When the worker's lease ends, while it is publishing.")]
    enqueued_at: Instant | None
    finished_at: Instant | None


class NeverQueued(Output):
    """A post that was never on the queue."""

    post_id: str
    state: Literal["none"] = "none"


class PostCancellation(Output):
    """The post is a draft again."""

    post_id: str
    cancelled_targets: Annotated[int, Meta(examples=[2])]
    started_targets: Annotated[
        int, Meta(description="Targets that had started already; they run to their end.", examples=[0])
    ]
    state: Literal["cancelled"] = "cancelled"


class DeliveryCounts(Output):
    """Webhook deliveries that this call attempted, by outcome."""

    attempted: int = 0
    delivered: int = 0
    failed: int = 0


class QueueRun(Output):
    """What this call did."""

    claimed: int
    published: int
    failed: int
    retrying: int
    unknown: int
    remaining: Annotated[int, Meta(description="Items that are still due, at most 10,000.", examples=[0])]
    oldest_due_age_seconds: Annotated[float, Meta(examples=[0.0])]
    duration_ms: int
    webhooks: DeliveryCounts = field(default_factory=DeliveryCounts)
