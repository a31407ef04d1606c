"""Webhooks and deliveries on the wire."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.caller import Mode
from signalpost.web.fields import Name, ProfileId
from signalpost.webhooks.states import DeliveryMode, DeliveryState, WebhookStatus

Url = Annotated[str, Meta(max_length=2048)]
EventNames = Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=100)]
Description = Annotated[str, Meta(max_length=500)]
ProfileIds = Annotated[list[ProfileId], Meta(min_length=1, max_length=500)]

_URL = "https://example.com/hooks/signalpost"
_EVENTS = ["post.published", "post.failed"]
_SECRET = "whsec_C2FVsBQIhrscChlQIMV4b5sSYspob7oD2BIcuYDEg1c="  # noqa: S105 - an example
_BODY = (
    '{"id":"dlv_01M7Z0000000000000000000AB","type":"post.published","createdAt":"2026-11-21T18:00:00.000Z","data":{}}'
)
_RETRY = (
    "How deliveries are attempted. `retry`: your server has 10 seconds to answer, and a failed delivery is retried"
    " five times over 14 hours. `single`: 5 seconds, no retry."
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
            description="`false` pauses the webhook: new events are not recorded, waiting deliveries are held."
            " `true` resumes it, also after it was disabled."
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


class DeliveryAttempt(Output):
    """One attempt. `resend` tells whether it was requested by a resend; `error` is null if it succeeded."""

    at: Instant
    resend: Annotated[bool, Meta(examples=[False])]
    status: Annotated[int | None, Meta(examples=[200])]
    error: str | None
    duration_ms: Annotated[int, Meta(examples=[84])]


class DeliveryDetail(Delivery):
    """A delivery with the exact `body` that was sent and its latest 20 attempts, the oldest first."""

    body: Annotated[str, Meta(examples=[_BODY])]
    attempt_log: list[DeliveryAttempt]


class DeliveryQuery(Input):
    """Which deliveries to list."""

    state: Annotated[
        DeliveryState | None, Meta(description="List only deliveries in this state.", examples=["failed"])
    ] = None
    type: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="List only deliveries of events of this type.", examples=["post.published"]),
    ] = None


class TestData(Input):
    """`data` of the event `webhook.test`."""

    __test__ = False  # tells pytest that this is not a test class

    webhook_id: str
    message: str = "It works: this delivery is signed like any other."
