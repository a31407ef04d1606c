"""Administration on the wire."""

from typing import Annotated, Literal

from msgspec import Meta, field

from signalpost.billing.differences import Kind
from signalpost.identity.schemas import Email
from signalpost.kit.ids import Id, example
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.fields import AccountId, PostId, ProfileId

ByName = dict[str, int]
SearchText = Annotated[str, Meta(min_length=1, max_length=200)]
JobState = Literal["waiting", "running", "failed"]


class JobId(Id, prefix="job", noun="job"): ...


class PauseId(Id, prefix="pau", noun="pause"): ...


class DifferenceId(Id, prefix="dif", noun="difference"): ...


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
    payment_differences: Annotated[
        int, Meta(description="Between what is charged and what workspaces have: those that wait.", examples=[0])
    ]
    estimated: Annotated[
        list[str],
        Meta(
            description="Figures that are estimates: a table with more than 20,000 rows is counted by a sample.",
            examples=[["posts"]],
        ),
    ]
    version: Annotated[str, Meta(examples=["1.0.0"])]
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


class MailTest(Input):
    """Where to send the test mail."""

    to: Annotated[Email | None, Meta(description="The address; default: your own.")] = None


class MailPreview(Output):
    """What the mail says."""

    subject: Annotated[str, Meta(examples=["Welcome, Acme is ready"])]
    text: Annotated[str, Meta(examples=["Your workspace Acme is ready."])]


class TestMail(Output):
    """What became of the test mail. `error`: why it was not sent."""

    __test__ = False  # not a test class, whatever pytest makes of its name

    sent: Annotated[bool, Meta(examples=[True])]
    message_id: Annotated[str | None, Meta(examples=["0198a1b2000070008000000000000001"])]
    transport: Annotated[Literal["smtp", "none"], Meta(description="none: no mail server is set.", examples=["smtp"])]
    error: Annotated[str | None, Meta(examples=[None])]
    preview: MailPreview


class SyncStart(Input):
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


class DueMetricsSync(Input):
    """Nothing: all numbers that are due are collected."""


class WorkspaceQuery(Input):
    """Which workspaces."""

    q: Annotated[
        SearchText | None,
        Meta(description="Part of the name or slug, the owner's e-mail address, or an id.", examples=["bakery"]),
    ] = None
    state: Annotated[
        Literal["active", "deleted"] | None,
        Meta(description="deleted: until they are erased, too.", examples=["active"]),
    ] = None


class AdminWorkspace(Output):
    """A workspace of the installation. Numbers are at most 1,000."""

    id: Annotated[str, Meta(examples=[example("wsp")])]
    name: Annotated[str, Meta(examples=["Corner Bakery"])]
    slug: Annotated[str, Meta(examples=["corner-bakery"])]
    plan: Annotated[str, Meta(examples=["pro"])]
    owner_email: Annotated[str | None, Meta(examples=["ada@example.com"])]
    members: Annotated[int, Meta(examples=[4])]
    accounts: Annotated[int, Meta(description="Connected ones.", examples=[7])]
    state: Annotated[Literal["active", "deleted"], Meta(examples=["active"])]
    created_at: Instant
    deleted_at: Annotated[Instant | None, Meta(examples=[None])]


class UserQuery(Input):
    """Which users."""

    q: Annotated[
        SearchText | None, Meta(description="Part of the e-mail address or name, or an id.", examples=["ada@"])
    ] = None
    staff: Annotated[bool | None, Meta(description="Only staff, or only others.", examples=[True])] = None


class AdminUser(Output):
    """A user of the installation."""

    id: Annotated[str, Meta(examples=[example("usr")])]
    email: Annotated[str, Meta(examples=["ada@example.com"])]
    name: Annotated[str | None, Meta(examples=["Ada"])]
    staff: Annotated[bool, Meta(description="Whether they administer the installation.", examples=[False])]
    second_factor: Annotated[bool, Meta(description="Whether they sign in with a second factor.", examples=[True])]
    workspaces: Annotated[int, Meta(description="They are a member of; at most 1,000.", examples=[2])]
    created_at: Instant


class JobQuery(Input):
    """Which jobs."""

    state: Annotated[JobState | None, Meta(description="Only these.", examples=["failed"])] = None
    kind: Annotated[
        Annotated[str, Meta(min_length=1, max_length=80)] | None,
        Meta(description="Only these.", examples=["mail.send"]),
    ] = None


class AdminJob(Output):
    """A background job. Those that succeed are deleted, those that failed for good after 30 days."""

    id: Annotated[str, Meta(examples=[example("job")])]
    kind: Annotated[str, Meta(examples=["mail.send"])]
    workspace_id: Annotated[str | None, Meta(description="null: of the installation.", examples=[example("wsp")])]
    state: Annotated[JobState, Meta(description="failed: for good.", examples=["failed"])]
    attempts: Annotated[int, Meta(examples=[5])]
    created_at: Instant
    run_at: Annotated[Instant | None, Meta(description="When it is, or was, due.", examples=[None])]
    failed_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.000Z"])]
    code: Annotated[str | None, Meta(description="failed, crashed or unknown_kind.", examples=["failed"])]
    error: Annotated[str | None, Meta(description="Of the latest attempt.", examples=["TimeoutError()"])]


class Pause(Output):
    """Something that is due and kept back for a while, because a network or receiver asked for it or failed."""

    id: Annotated[str, Meta(examples=[example("pau")])]
    kind: Annotated[
        Literal["network", "account", "webhook", "jobs"],
        Meta(description="network: an app at a network, with all of its accounts.", examples=["account"]),
    ]
    subject: Annotated[str, Meta(description="An id, or the key of the app.", examples=[example("acc")])]
    workspace_id: Annotated[str | None, Meta(examples=[example("wsp")])]
    platform: Annotated[str | None, Meta(examples=["mastodon"])]
    until: Instant


class PauseEnd(Output):
    """The pause has ended."""

    id: Annotated[str, Meta(examples=[example("pau")])]


class AdminBackup(Output):
    """A backup that `signalpost backup` made or tried to make. That its file still exists is not known."""

    id: Annotated[str, Meta(examples=[example("bkp")])]
    status: Annotated[
        Literal["unfinished", "succeeded", "failed"],
        Meta(description="unfinished: it still runs, or its process was stopped.", examples=["succeeded"]),
    ]
    started_at: Instant
    ended_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:42.000Z"])]
    made_at: Annotated[
        Instant | None, Meta(description="What changed later is not in it.", examples=["2026-11-21T18:00:01.000Z"])
    ]
    verified_at: Annotated[
        Instant | None, Meta(description="When `signalpost verify` last found it whole.", examples=[None])
    ]
    file_name: Annotated[str, Meta(description="Without its folder.", examples=["2026-11-21.backup"])]
    host: Annotated[str, Meta(description="The machine on which it was made.", examples=["app-1"])]
    bytes: Annotated[int | None, Meta(examples=[218_412_000])]
    rows: Annotated[int | None, Meta(description="Of the database.", examples=[48_210])]
    files: Annotated[int | None, Meta(description="Media.", examples=[31])]
    missing_files: Annotated[int | None, Meta(description="Media that were deleted while it was made.", examples=[0])]
    has_media: Annotated[bool, Meta(examples=[True])]
    has_master_key: Annotated[bool, Meta(examples=[False])]
    version: Annotated[str, Meta(description="Of the program.", examples=["1.0.0"])]
    revision: Annotated[str | None, Meta(description="Of the schema.", examples=["0069"])]
    error: Annotated[str | None, Meta(description="Why it failed.", examples=[None])]


class SystemProcess(Output):
    """A process that runs the engine."""

    id: Annotated[str, Meta(examples=["0198a1b2-0000-7000-8000-000000000001"])]
    host: Annotated[str, Meta(examples=["app-1"])]
    started_at: Instant
    last_seen_at: Instant


class BackupAge(Output):
    """How old the newest backup is that succeeded."""

    made_at: Annotated[Instant | None, Meta(description="null: there is none.", examples=["2026-11-21T18:00:01.000Z"])]
    age_seconds: Annotated[int, Meta(description="Without a backup: the age of the installation.", examples=[86_400])]
    warning_days: Annotated[int, Meta(description="SIGNALPOST_BACKUP_AGE_WARNING_DAYS; 0: never.", examples=[7])]
    too_old: Annotated[bool, Meta(description="Whether it is older than that.", examples=[False])]


class PaymentProvider(Output):
    """When the provider of payments notified us last; only where plans are sold by it."""

    notified_at: Annotated[Instant | None, Meta(description="null: never.", examples=[None])]
    refused_at: Annotated[Instant | None, Meta(description="When one could not be accepted.", examples=[None])]
    is_deaf: Annotated[bool, Meta(description="Whether its endpoint needs repair.", examples=[False])]
    remedy: Annotated[str | None, Meta(description="How to repair it.", examples=[None])]
    compared_at: Annotated[
        Instant | None,
        Meta(description="When what is charged was last compared with what workspaces have.", examples=[None]),
    ]


class PaymentDifference(Output):
    """Between what the provider of payments charges for and what a workspace has.

    `unknown_workspace`: it is not of this installation. `several`: a customer pays for a second subscription.
    `not_served`: the workspace has less than is paid. `served_unpaid`: more than is paid, and it cannot be read why.
    `refunded`: a payment that nobody wanted was given back.
    """

    id: Annotated[str, Meta(examples=[example("dif")])]
    kind: Annotated[Kind, Meta(examples=["unknown_workspace"])]
    workspace_id: Annotated[str | None, Meta(description="As the provider names it.", examples=[example("wsp")])]
    customer_id: Annotated[str, Meta(examples=["cus_QX4g"])]
    subject: Annotated[str, Meta(description="The subscription or the invoice.", examples=["sub_1QX4g"])]
    detail: Annotated[str, Meta(examples=["Stripe charges for pro, for a workspace that is not here."])]
    found_at: Instant
    solved_at: Annotated[Instant | None, Meta(description="null: it waits for staff.", examples=[None])]
    solution: Annotated[str | None, Meta(description="What was done.", examples=[None])]


class System(Output):
    """What runs. Of processes without the engine, only the one that answers is known."""

    version: Annotated[str, Meta(description="Of the program.", examples=["1.0.0"])]
    revision: Annotated[str, Meta(description="Of the schema.", examples=["0069"])]
    migrations: Annotated[
        Literal["current", "pending"],
        Meta(description="pending: the schema is not that of the program that answers.", examples=["current"]),
    ]
    postgresql: Annotated[str, Meta(examples=["18.1"])]
    python: Annotated[str, Meta(examples=["3.13.9"])]
    started_at: Annotated[
        str,
        Meta(
            description="When the process began that answers.",
            extra_json_schema={"format": "date-time"},
            examples=["2026-11-21T18:00:00.000Z"],
        ),
    ]
    processes: Annotated[list[SystemProcess], Meta(description="Those that run the engine, at most 100.")]
    backup: BackupAge
    payments: PaymentProvider | None
