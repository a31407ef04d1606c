"""Rows of webhooks and deliveries as API structs."""

import msgspec

from signalpost.kit import clock, ids
from signalpost.webhooks.queries import DeliveryDetailRow, DeliveryRow, LoggedAttempt, WebhookRow
from signalpost.webhooks.schemas import (
    Delivery,
    DeliveryAttempt,
    DeliveryDetail,
    Webhook,
    WebhookCreated,
    WebhookWarning,
    WebhookWithSecret,
)


def webhook(row: WebhookRow) -> Webhook:
    return Webhook(
        id=ids.encode("whk", row.id),
        mode=row.mode,
        url=row.url,
        events=row.events,
        name=row.name,
        profile_ids=_profile_ids(row),
        delivery_mode=row.delivery_mode,
        active=row.status == "active",
        status=row.status,
        disabled_reason=row.disabled_reason,
        consecutive_failures=row.consecutive_failures,
        last_success_at=clock.wire_or_none(row.last_success_at),
        last_failure_at=clock.wire_or_none(row.last_failure_at),
        description=row.description,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def webhook_with_secret(row: WebhookRow, secret: str) -> WebhookWithSecret:
    """Return the response that shows the secret, which happens once."""
    return WebhookWithSecret(
        id=ids.encode("whk", row.id),
        mode=row.mode,
        url=row.url,
        events=row.events,
        name=row.name,
        profile_ids=_profile_ids(row),
        delivery_mode=row.delivery_mode,
        active=row.status == "active",
        status=row.status,
        disabled_reason=row.disabled_reason,
        consecutive_failures=row.consecutive_failures,
        last_success_at=clock.wire_or_none(row.last_success_at),
        last_failure_at=clock.wire_or_none(row.last_failure_at),
        description=row.description,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
        secret=secret,
    )


_REGISTERED = WebhookWarning(
    code="not_unique",
    path="/url",
    message="Another webhook of this workspace has the same address: it receives an event once for each of them.",
)


def webhook_created(row: WebhookRow, secret: str, *, is_registered: bool) -> WebhookCreated:
    """Return the response to a registration; `is_registered`: another webhook has its address."""
    members = msgspec.structs.asdict(webhook_with_secret(row, secret))
    return WebhookCreated(**members, warnings=[_REGISTERED] if is_registered else [])


def delivery(row: DeliveryRow) -> Delivery:
    return Delivery(
        id=ids.encode("dlv", row.id),
        webhook_id=ids.encode("whk", row.webhook_id),
        event_id=ids.encode("evt", row.event_id),
        type=row.type,
        state=row.state,
        attempts=row.attempts,
        next_attempt_at=clock.wire_or_none(row.next_attempt_at),
        resend_at=clock.wire_or_none(row.resend_at),
        last_attempt_at=clock.wire_or_none(row.last_attempt_at),
        last_status=row.last_status,
        last_error=row.last_error,
        last_response=row.last_response,
        last_duration_ms=row.last_duration_ms,
        created_at=clock.wire(row.created_at),
        delivered_at=clock.wire_or_none(row.delivered_at),
    )


def delivery_detail(row: DeliveryDetailRow) -> DeliveryDetail:
    return DeliveryDetail(
        id=ids.encode("dlv", row.id),
        webhook_id=ids.encode("whk", row.webhook_id),
        event_id=ids.encode("evt", row.event_id),
        type=row.type,
        state=row.state,
        attempts=row.attempts,
        next_attempt_at=clock.wire_or_none(row.next_attempt_at),
        resend_at=clock.wire_or_none(row.resend_at),
        last_attempt_at=clock.wire_or_none(row.last_attempt_at),
        last_status=row.last_status,
        last_error=row.last_error,
        last_response=row.last_response,
        last_duration_ms=row.last_duration_ms,
        created_at=clock.wire(row.created_at),
        delivered_at=clock.wire_or_none(row.delivered_at),
        body=row.body.decode(),
        attempt_log=[_attempt(attempt) for attempt in row.log],
    )


def _attempt(attempt: LoggedAttempt) -> DeliveryAttempt:
    return DeliveryAttempt(
        at=clock.wire(attempt.at),
        resend=attempt.resend,
        status=attempt.status,
        error=attempt.error,
        duration_ms=attempt.duration_ms,
    )


def _profile_ids(row: WebhookRow) -> list[str] | None:
    return None if row.profile_ids is None else [ids.encode("prof", profile_id) for profile_id in row.profile_ids]
