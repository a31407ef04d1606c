"""Administration on the wire."""

from typing import Annotated, Literal

from msgspec import Meta, field

from signalpost.identity.schemas import Email
from signalpost.kit.ids import example
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import AccountId, PostId, ProfileId

ByName = dict[str, int]


class AccountFigures(Output):
    """Connected accounts."""

    total: Annotated[int, Meta(examples=[31])]
    by_status: Annotated[ByName, Meta(examples=[{"active": 29, "needs_reauth": 2}])]
    by_platform: Annotated[ByName, Meta(examples=[{"bluesky": 20, "mastodon": 11}])]


class PostFigures(Output):
    """Posts that are not in the trash."""

    total: Annotated[int, Meta(examples=[1_204])]
    last24h: Annotated[int, Meta(description="Created in the last 24 hours, at most 100,000.", examples=[48])]
    by_status: Annotated[ByName, Meta(examples=[{"published": 1_100, "scheduled": 90, "failed": 14}])]


class QueueFigures(Output):
    """Targets on the queue, each number at most 10,000; `leased`: accounts at which a worker publishes right now."""

    waiting: Annotated[int, Meta(description="Due later.", examples=[90])]
    ready: Annotated[int, Meta(description="Due now.", examples=[0])]
    leased: Annotated[int, Meta(examples=[0])]
    overdue: Annotated[
        int | None,
        Meta(
            description="Due for more than a minute, not held by a rate limit; null: not known right now.", examples=[0]
        ),
    ]


class WebhookFigures(Output):
    """Deliveries, each number at most 10,000."""

    pending: Annotated[int, Meta(description="Waiting for an attempt.", examples=[0])]
    failed24h: Annotated[int, Meta(description="Given up, of those recorded in the last 24 hours.", examples=[2])]


class Stats(Output):
    """Figures of the installation."""

    users: Annotated[int, Meta(examples=[12])]
    workspaces: Annotated[int, Meta(examples=[9])]
    profiles: Annotated[int, Meta(examples=[14])]
    accounts: AccountFigures
    posts: PostFigures
    success_rate24h: Annotated[
        dict[str, float],
        Meta(
            description="Of the targets attempted in the last 24 hours that came to an end, by network: the share that"
            " was published. Of the newest 20,000 attempts.",
            examples=[{"bluesky": 1.0, "mastodon": 0.9722}],
        ),
    ] = field(name="successRate24h")
    queue: QueueFigures
    webhooks: WebhookFigures
    storage_bytes: Annotated[int, Meta(examples=[218_412_000])]
    estimated: Annotated[
        list[str],
        Meta(
            description="Figures that are estimates: a table with more than 20,000 rows is counted by a sample.",
            examples=[["posts"]],
        ),
    ]
    version: Annotated[str, Meta(examples=["0.1.0"])]
    uptime_seconds: Annotated[int, Meta(description="Of the process that answers.", examples=[86_400])]


class QueueWorker(Output):
    """A process that runs the engine. `leases`: lanes that it holds."""

    id: Annotated[str, Meta(examples=["0198a1b2-0000-7000-8000-000000000001"])]
    host: Annotated[str, Meta(examples=["app-1"])]
    last_seen_at: Instant
    leases: Annotated[int, Meta(examples=[1])]


class QueueItem(Output):
    """A target that is due."""

    post_id: str
    target_id: str
    workspace_id: str
    account_id: str
    platform: Annotated[str, Meta(examples=["bluesky"])]
    state: Annotated[Literal["ready", "leased"], Meta(examples=["ready"])]
    run_at: Instant
    attempts: Annotated[int, Meta(examples=[0])]


class AdminQueue(Output):
    """The queue of all workspaces; `items` are due targets, those that wait longest first, at most 100."""

    counts: QueueFigures
    oldest_due_age_seconds: Annotated[float, Meta(examples=[0.0])]
    workers: list[QueueWorker]
    items: list[QueueItem]


class TestWelcome(Input):
    """Where to send the test mail."""

    __test__ = False  # not a test class, whatever pytest makes of its name

    to: Annotated[Email | None, Meta(description="The address; default: your own.")] = None


class MailPreview(Output):
    """What the mail says."""

    subject: Annotated[str, Meta(examples=["Welcome, Acme is ready"])]
    text: Annotated[str, Meta(examples=["Your workspace Acme is ready."])]


class TestMail(Output):
    """What became of the test mail. `error`: why it was not sent."""

    __test__ = False  # see above

    sent: Annotated[bool, Meta(examples=[True])]
    message_id: Annotated[str | None, Meta(examples=["0198a1b2000070008000000000000001"])]
    transport: Annotated[Literal["smtp", "none"], Meta(description="none: no mail server is set.", examples=["smtp"])]
    error: Annotated[str | None, Meta(examples=[None])]
    preview: MailPreview


class SyncRequest(Input):
    """Whose numbers to collect. Nothing: all that are due."""

    profile_id: Annotated[ProfileId | None, Meta(description="Posts of this profile.")] = None
    account_id: Annotated[AccountId | None, Meta(description="Posts of this account.")] = None
    post_ids: Annotated[
        Annotated[list[PostId], Meta(min_length=1, max_length=100)] | None, Meta(description="These posts.")
    ] = None
    force: Annotated[
        bool, Meta(description="Also of posts whose numbers were collected within the hour.", examples=[False])
    ] = False


class MetricsSync(Output):
    """What was set off. The engine collects the numbers, within the quotas of the networks."""

    job_id: Annotated[str, Meta(examples=[example("job")])]
    accepted: Annotated[int, Meta(description="Targets whose numbers are collected.", examples=[12])]
    skipped: Annotated[int, Meta(description="Targets whose numbers were collected within the hour.", examples=[3])]


class SyncTick(Input):
    """Nothing: all numbers that are due are collected."""
