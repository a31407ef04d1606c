from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit.wire import Input, Instant, Output
from signalpost.webhooks.states import DeliveryState, Mode, WebhookStatus

Url = Annotated[
    str,
    Meta(max_length=2048, description="https, without user name", examples=["https://example.com/hooks/signalpost"]),
]
Events = Annotated[
    list[Annotated[str, Meta(max_length=100, examples=["post.published"])]],
    Meta(max_length=100, description="Absent, null or empty: all public events"),
]
ProfileIds = Annotated[
    list[Annotated[str, Meta(max_length=40, examples=["prof_01JD7ZK8Q4M4S0V9T6B2X3Y5W7"])]],
    Meta(min_length=1, max_length=500, description="Only events of these profiles; null: of all"),
]
Name = Annotated[str, Meta(min_length=1, max_length=100, examples=["Production"])]
Description = Annotated[str, Meta(max_length=500)]
DeliveryMode = Annotated[
    Mode, Meta(description="retry: 10 s to answer, five retries over 14 hours; single: 5 s, no retry")
]


class WebhookUpdate(Input):
    """Any subset of the fields; null clears one, or returns it to its default."""

    url: Url | UnsetType = UNSET
    events: Events | UnsetType | None = UNSET
    name: Name | UnsetType | None = UNSET
    description: Description | UnsetType | None = UNSET
    profile_ids: ProfileIds | UnsetType | None = UNSET
    delivery_mode: DeliveryMode | UnsetType = UNSET
    active: Annotated[
        bool | UnsetType,
        Meta(description="false pauses: new events are not recorded, waiting deliveries are held; true enables"),
    ] = UNSET


class WebhookCreate(WebhookUpdate):
    """An address, and whatever else is known already."""

    url: Url


class Webhook(Output):
    """`consecutiveFailures` counts failed attempts since the last success."""

    id: str
    url: str
    events: list[str]
    name: str | None
    profile_ids: list[str] | None
    delivery_mode: Mode
    active: bool
    status: WebhookStatus
    disabled_reason: str | None
    consecutive_failures: int
    last_success_at: Instant | None
    last_failure_at: Instant | None
    description: str | None
    created_at: Instant
    updated_at: Instant


class WebhookWithSecret(Webhook):
    """`secret` signs deliveries. It is shown this once."""

    secret: str


class WebhookDeletion(Output):
    id: str
    deleted: Literal[True]


class Delivery(Output):
    """One event for one webhook. `id` is the envelope's; `eventId` is shared by all webhooks that got the event."""

    id: str
    webhook_id: str
    event_id: str
    type: str
    state: DeliveryState
    attempts: int
    next_attempt_at: Instant | None
    resend_at: Instant | None
    last_attempt_at: Instant | None
    last_status: int | None
    last_error: str | None
    last_response: str | None
    last_duration_ms: int | None
    created_at: Instant
    delivered_at: Instant | None


class DeliveryDetail(Delivery):
    """With the exact `body` and the latest 20 attempts, {at, resend, status, error, durationMs}, oldest first."""

    body: str
    attempt_log: list[dict[str, Any]]


class DeliveryQuery(Input):
    state: DeliveryState | None = None
    type: Annotated[str, Meta(max_length=100)] | None = None


class TestData(Input):
    """`data` of webhook.test."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    webhook_id: str
    message: str = "It works: this delivery was signed like any other."
