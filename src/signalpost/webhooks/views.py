"""Rows of webhooks and deliveries as API structs."""

from typing import Literal

import msgspec

from signalpost.kit import clock, ids
from signalpost.webhooks import signing
from signalpost.webhooks.queries import DeliveryDetailRow, DeliveryRow, LoggedAttempt, ReplayRow, WebhookRow
from signalpost.webhooks.schemas import (
    Delivery,
    DeliveryAttempt,
    DeliveryDetail,
    DeliveryRequest,
    Replay,
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
        previous_secret_until=clock.wire_or_none(row.previous_secret_until),
        has_next_secret=row.has_next_secret,
        replay=None if row.replay is None else replay(row.replay),
    )


def replay(row: ReplayRow) -> Replay:
    status: Literal["running", "finished", "stopped"] = "running"
    if row.finished_at is not None:
        status = "stopped" if row.stopped else "finished"
    return Replay(
        status=status,
        from_=clock.wire(row.after),
        to=clock.wire(row.before),
        types=row.types,
        states=row.states,
        replayed=row.replayed,
        requested_at=clock.wire(row.requested_at),
        finished_at=clock.wire_or_none(row.finished_at),
    )


def webhook_with_secret(row: WebhookRow, secret: str) -> WebhookWithSecret:
    """Return the response that shows the secret, which happens once."""
    return WebhookWithSecret(**msgspec.structs.asdict(webhook(row)), secret=secret)


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


def delivery_detail(row: DeliveryDetailRow, brand: str) -> DeliveryDetail:
    return DeliveryDetail(
        **msgspec.structs.asdict(delivery(row)),
        body=row.body.decode(),
        attempt_log=[_attempt(row, attempt, brand) for attempt in row.log],
    )


def _attempt(row: DeliveryRow, attempt: LoggedAttempt, brand: str) -> DeliveryAttempt:
    request = None
    if attempt.url is not None and attempt.timestamp is not None and attempt.number is not None:
        headers = signing.unsigned_headers(
            brand=brand,
            event_type=row.type,
            delivery_id=ids.encode("dlv", row.id),
            attempt_number=attempt.number,
            timestamp=attempt.timestamp,
        )
        request = DeliveryRequest(method="POST", url=attempt.url, headers=headers)
    return DeliveryAttempt(
        at=clock.wire(attempt.at),
        resend=attempt.resend,
        status=attempt.status,
        error=attempt.error,
        duration_ms=attempt.duration_ms,
        request=request,
        response=attempt.response,
    )


def _profile_ids(row: WebhookRow) -> list[str] | None:
    return None if row.profile_ids is None else [ids.encode("prof", profile_id) for profile_id in row.profile_ids]
