"""The queue on the wire."""

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from signalpost.kit.wire import Input, Instant, Output
from signalpost.posts.schemas.requests import IdText, Time
from signalpost.posts.schemas.responses import TargetError

QueueState = Literal["none", "waiting", "ready", "leased", "done", "failed", "cancelled"]
TaskState = Literal["waiting", "ready", "leased", "done", "failed", "cancelled"]


class SubmitPost(Input):
    """When it goes out; left out: at the post's own time, else now."""

    scheduled_at: Time | None = None


class RetryPost(Input):
    """Which failed targets to try again; left out: all of them."""

    target_ids: Annotated[list[IdText], Meta(min_length=1, max_length=100)] | None = None
    include_unknown: Annotated[
        bool,
        Meta(description="Also those of which it is not known whether they went out: they are posted again."),
    ] = False


class ProcessQueue(Input):
    """How much to do at most, of each kind of work."""

    limit: Annotated[int, Meta(ge=1, le=500)] = 50


class QueueTask(Output):
    """One target. `runAt`: when it is looked at next."""

    target_id: str
    platform: str
    state: TaskState
    attempts: int
    run_at: Instant | None
    last_error: TargetError | None


class QueueEntry(Output):
    """A post on the queue. `held`: it is due, but waits for what `heldReason` says."""

    id: str
    post_id: str
    state: QueueState
    held: bool
    held_reason: Literal["approval", "account", "plan"] | None
    run_at: Instant | None
    priority: int
    attempts: int
    tasks: list[QueueTask]
    position: int | None
    leased_until: Instant | None
    enqueued_at: Instant | None
    finished_at: Instant | None


class NeverQueued(Output):
    """A post that was never queued."""

    post_id: str
    state: Literal["none"] = "none"


class Cancelled(Output):
    """The post is a draft again. `startedTargets`: those it came too late for; they run to their end."""

    post_id: str
    cancelled_targets: int
    started_targets: int
    state: Literal["cancelled"] = "cancelled"


class DeliveryCounts(Output):
    attempted: int = 0
    delivered: int = 0
    failed: int = 0


class Processed(Output):
    """What this call did; the rest of the due work is `remaining`."""

    claimed: int
    published: int
    failed: int
    retrying: int
    unknown: int
    remaining: int
    oldest_due_age_seconds: float
    duration_ms: int
    webhooks: DeliveryCounts = field(default_factory=DeliveryCounts)


Json = dict[str, Any]
