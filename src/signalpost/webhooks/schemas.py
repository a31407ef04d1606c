"""Webhooks and deliveries on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.caller import Mode
from signalpost.web.fields import DeliveryId, Name, ProfileId
from signalpost.webhooks.states import DeliveryMode, DeliveryState, ReplayableState, WebhookStatus

Url = Annotated[str, Meta(max_length=2048)]
EventNames = Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=100)]
Description = Annotated[str, Meta(max_length=500)]
ProfileIds = Annotated[list[ProfileId], Meta(min_length=1, max_length=500)]

_URL = "https://example.com/hooks/signalpost"
_EVENTS = ["post.published", "post.failed"]
_FROM, _TO = "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"
_SECRET = "whsec_C2FVsBQIhrscChlQIMV4b5sSYspob7oD2BIcuYDEg1c="  # noqa: S105 - an example
_BODY = (
    '{"id":"dlv_01M7Z0000000000000000000AB","type":"post.published","createdAt":"2026-11-21T18:00:00.000Z","data":{}}'
)
_RETRY = (
    "How deliveries are attempted. `retry`: your server has 10 seconds to answer, and a failed delivery is retried"
    " five times over 14 hours. `single`: 5 seconds, no retry. `poll`: nothing is sent; a program"
    " fetches deliveries with `GET /webhooks/{id}/pending`, and the address may be one of its own machine. `poll` is"
    " chosen when the webhook is created."
)


class WebhookUpdate(Input):
    """Change any of the fields; null clears a field or returns it to its default."""

    url: Annotated[
        Url | UnsetType, Meta(description="The public https address that receives the events.", examples=[_URL])
    ] = UNSET
    events: Annotated[
        EventNames | UnsetType | None,
        Meta(
            description="The events to receive. Null or an empty list: all but those to opt in to.", examples=[_EVENTS]
        ),
    ] = UNSET
    name: Annotated[
        Name | UnsetType | None, Meta(description="A name for people who manage webhooks.", examples=["Production"])
    ] = UNSET
    description: Annotated[
        Description | UnsetType | None,
        Meta(description="What the webhook is for.", examples=["Updates the editorial calendar"]),
    ] = UNSET
    profile_ids: Annotated[
        ProfileIds | UnsetType | None,
        Meta(description="Receive only events of these profiles. Null: of all profiles that you may see."),
    ] = UNSET
    delivery_mode: Annotated[DeliveryMode | UnsetType, Meta(description=_RETRY, examples=["retry"])] = UNSET
    active: Annotated[
        bool | UnsetType,
        Meta(
            description="`false` pauses the webhook: new events are recorded as `skipped`, waiting deliveries are"
            " held. `true` resumes it, also after it was disabled."
        ),
    ] = UNSET


class WebhookCreate(WebhookUpdate):
    """Register a webhook. Only `url` is required."""

    url: Annotated[Url, Meta(description="The public https address that receives the events.", examples=[_URL])]
    mode: Annotated[
        Mode | None,
        Meta(
            description="The mode whose events it receives. With an API key, the mode of the key; else `live`, unless"
            " you choose.",
            examples=["live"],
        ),
    ] = None


class ReplayCreate(Input):
    """Which deliveries to send again. `from` and `to` are about the times when their events happened."""

    from_: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="Send what happened at this time or later. Default: 30 days ago.", examples=[_FROM]),
    ] = field(default=None, name="from")
    to: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(description="Send what happened before this time. Default: now.", examples=[_TO]),
    ] = None
    types: Annotated[
        EventNames | None, Meta(description="Only events of these types. Null or empty: all.", examples=[_EVENTS])
    ] = None
    states: Annotated[
        Annotated[list[ReplayableState], Meta(max_length=10)] | None,
        Meta(
            description="Only deliveries in these states. Default: those that did not arrive, which are `skipped`,"
            " `failed` and `permanently_failed`. `delivered` sends again what arrived.",
            examples=[["skipped", "permanently_failed"]],
        ),
    ] = None


MISSED = ReplayCreate()


class Replay(Output):
    """A replay: `replayed` deliveries were sent again, or wait for it, until now."""

    status: Annotated[Literal["running", "finished", "stopped"], Meta(examples=["running"])]
    from_: Annotated[Instant, Meta(examples=[_FROM])] = field(name="from")
    to: Annotated[Instant, Meta(examples=[_TO])]
    types: Annotated[list[str] | None, Meta(examples=[_EVENTS])]
    states: Annotated[list[ReplayableState], Meta(examples=[["skipped", "permanently_failed"]])]
    replayed: Annotated[int, Meta(examples=[200])]
    requested_at: Instant
    finished_at: Instant | None


class Webhook(Output):
    """It receives events of its `mode` only. `consecutiveFailures` counts failed attempts since the last success."""

    id: str
    mode: Annotated[Mode, Meta(examples=["live"])]
    url: Annotated[str, Meta(examples=[_URL])]
    events: Annotated[list[str], Meta(examples=[_EVENTS])]
    name: Annotated[str | None, Meta(examples=["Production"])]
    profile_ids: list[str] | None
    delivery_mode: Annotated[DeliveryMode, Meta(examples=["retry"])]
    active: Annotated[bool, Meta(examples=[True])]
    status: Annotated[WebhookStatus, Meta(examples=["active"])]
    disabled_reason: str | None
    consecutive_failures: Annotated[int, Meta(examples=[0])]
    last_success_at: Instant | None
    last_failure_at: Instant | None
    description: str | None
    created_at: Instant
    updated_at: Instant
    previous_secret_until: Annotated[
        Instant | None, Meta(description="Until then the previous secret signs beside the current one.")
    ]
    has_next_secret: Annotated[
        bool, Meta(description="Whether a prepared secret signs too, and can be activated.", examples=[False])
    ]
    replay: Annotated[Replay | None, Meta(description="The latest replay, with how far it has come.")]


class WebhookWithSecret(Webhook):
    """A webhook with the `secret` that signs its deliveries. The secret is shown only in this response."""

    secret: Annotated[str, Meta(examples=[_SECRET])]


class WebhookWarning(Output):
    """Something worth knowing that did not stop the request."""

    code: Annotated[str, Meta(examples=["not_unique"])]
    path: Annotated[str, Meta(examples=["/url"])]
    message: Annotated[str, Meta(examples=["Another webhook has this address."])]


class WebhookCreated(WebhookWithSecret):
    """A new webhook. `warnings` tells of another webhook with the same address, which receives its events as well."""

    warnings: Annotated[list[WebhookWarning], Meta(examples=[[]])]


class WebhookDeletion(Output):
    """Confirms that a webhook was deleted."""

    id: str
    deleted: Literal[True]


class Delivery(Output):
    """One event for one webhook. `id` is also the id in the body; `eventId` is the same for all webhooks."""

    id: str
    webhook_id: str
    event_id: Annotated[str, Meta(examples=[ids.example("evt")])]
    type: Annotated[str, Meta(examples=["post.published"])]
    state: Annotated[DeliveryState, Meta(examples=["delivered"])]
    attempts: Annotated[int, Meta(examples=[1])]
    next_attempt_at: Instant | None
    resend_at: Instant | None
    last_attempt_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.120Z"])]
    last_status: Annotated[int | None, Meta(examples=[200])]
    last_error: str | None
    last_response: Annotated[str | None, Meta(examples=["ok"])]
    last_duration_ms: Annotated[int | None, Meta(examples=[84])]
    created_at: Instant
    delivered_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.204Z"])]


class DeliveryRequest(Output):
    """What was sent, beside the body: the headers without signatures and those of Standard Webhooks."""

    method: Annotated[Literal["POST"], Meta(examples=["POST"])]
    url: Annotated[str, Meta(examples=[_URL])]
    headers: Annotated[dict[str, str], Meta(examples=[{"X-Service-Attempt": "1"}])]


class DeliveryAttempt(Output):
    """One attempt. `resend` tells whether it was requested by a resend; `error` is null if it succeeded.

    `request` is null if nothing was sent, `response` is the beginning of the answer.
    """

    at: Instant
    resend: Annotated[bool, Meta(examples=[False])]
    status: Annotated[int | None, Meta(examples=[200])]
    error: str | None
    duration_ms: Annotated[int, Meta(examples=[84])]
    request: DeliveryRequest | None
    response: Annotated[str | None, Meta(examples=["ok"])]


class DeliveryDetail(Delivery):
    """A delivery with the exact `body` that was sent and its latest 20 attempts, the oldest first."""

    body: Annotated[str, Meta(examples=[_BODY])]
    attempt_log: list[DeliveryAttempt]


class PendingQuery(Input):
    """How many deliveries to return."""

    limit: Annotated[
        Annotated[int, Meta(ge=1, le=100)], Meta(description="How many deliveries to return at most.", examples=[20])
    ] = 20


class PendingDelivery(Output):
    """A delivery that waits: pass `headers` and the exact `body` on as they are."""

    id: str
    type: Annotated[str, Meta(examples=["post.published"])]
    headers: Annotated[dict[str, str], Meta(examples=[{"X-Service-Event": "post.published"}])]
    body: Annotated[str, Meta(examples=[_BODY])]


class PendingDeliveries(Output):
    """The oldest deliveries that wait. `hasMore`: others wait behind them."""

    data: list[PendingDelivery]
    has_more: Annotated[bool, Meta(examples=[False])]


class DeliveryResult(Input):
    """What became of a delivery: the status that the receiver answered, or the error that came instead."""

    id: Annotated[DeliveryId, Meta(description="The id of the delivery.")]
    status: Annotated[
        Annotated[int, Meta(ge=100, le=599)] | None, Meta(description="The HTTP status.", examples=[200])
    ] = None
    error: Annotated[
        Annotated[str, Meta(max_length=500)] | None, Meta(description="Why there is no status.", examples=[None])
    ] = None
    response: Annotated[
        Annotated[str, Meta(max_length=2_048)] | None,
        Meta(description="The beginning of the response.", examples=["ok"]),
    ] = None
    duration_ms: Annotated[
        Annotated[int, Meta(ge=0, le=3_600_000)], Meta(description="How long it took.", examples=[84])
    ] = 0


class ResultsCreate(Input):
    """What became of deliveries that were fetched."""

    results: Annotated[
        Annotated[list[DeliveryResult], Meta(min_length=1, max_length=100)],
        Meta(description="One for each delivery.", examples=[[{"id": ids.example("dlv"), "status": 200}]]),
    ]


class RecordedResults(Output):
    """How many results were recorded: those of deliveries that still waited."""

    recorded: Annotated[int, Meta(examples=[1])]


class WebhookTest(Input):
    """Which event to send."""

    type: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(
            description="A type of event: its `data` is the example of the reference, and names nothing that exists."
            " Default: `webhook.test`.",
            examples=["post.published"],
        ),
    ] = None


TEST_DEFAULT = WebhookTest()


class DeliveryQuery(Input):
    """Which deliveries to list."""

    state: Annotated[
        DeliveryState | None, Meta(description="List only deliveries in this state.", examples=["failed"])
    ] = None
    type: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="List only deliveries of events of this type.", examples=["post.published"]),
    ] = None


_OVERLAP_SECONDS = 86_400
Overlap = Annotated[
    Annotated[int, Meta(ge=0, le=_OVERLAP_SECONDS)],
    Meta(
        description="So long the previous secret signs beside the new one. 0 ends it at once: do so if it is stolen.",
        examples=[_OVERLAP_SECONDS],
    ),
]


class SecretActivate(Input):
    """How long the previous secret signs beside the new one."""

    overlap_seconds: Overlap = _OVERLAP_SECONDS


class SecretRotate(SecretActivate):
    """Whether the new secret replaces the current one at once, and how long that one signs beside it."""

    activate: Annotated[
        bool,
        Meta(
            description="`false`: only prepare the new secret. It signs beside the current one until it is activated.",
            examples=[True],
        ),
    ] = True


ROTATE_NOW = SecretRotate()
ACTIVATE_NOW = SecretActivate()


class TestData(Input):
    """`data` of the event `webhook.test`."""

    __test__ = False  # tells pytest that this is not a test class

    webhook_id: str
    message: str = "It works: this delivery is signed like any other."
