"""A notification of Stripe: verified, then taken as a hint to read the customer again."""

import re
from typing import Any, Final

import msgspec
from msgspec import Struct

from signalpost.billing import provider, remote, signature
from signalpost.billing.actions.handover import settle
from signalpost.billing.actions.refresh import refresh
from signalpost.billing.actions.strays import Notification
from signalpost.billing.errors import BillingNotConfigured
from signalpost.billing.stripe import require_enabled
from signalpost.context import AppContext
from signalpost.kit import batches, clock, foreign, log, problems
from signalpost.kit.db import Db

BODY_BYTES_MAX: Final = 512_000
KEEP_EVENTS_DAYS: Final = 90
"""Stripe sends a notification again for three days."""
HEARD: Final = (
    "checkout.session.completed",
    "customer.deleted",
    "customer.subscription.created",
    "customer.subscription.deleted",
    "customer.subscription.paused",
    "customer.subscription.pending_update_applied",
    "customer.subscription.pending_update_expired",
    "customer.subscription.resumed",
    "customer.subscription.updated",
    "customer.updated",
    "invoice.marked_uncollectible",
    "invoice.paid",
    "invoice.payment_failed",
    "invoice.voided",
    "subscription_schedule.canceled",
    "subscription_schedule.created",
    "subscription_schedule.released",
    "subscription_schedule.updated",
)
"""What may change what a workspace has. Others are accepted and have no effect."""
_PURGE: Final = batches.delete("billing_event", f"received_at < now() - interval '{KEEP_EVENTS_DAYS} days'")
_ID: Final = re.compile(r"evt_\w{1,250}", re.ASCII)
_log = log.get("billing")


class _Object(Struct):
    object: str = ""
    id: Any = None
    customer: Any = None


class _Data(Struct):
    object: _Object


class _Event(Struct):
    id: str
    type: str
    data: _Data


_decoder: Final = msgspec.json.Decoder(_Event)


def require_verifiable(context: AppContext, header: str) -> str:
    """Ensure that a notification with this header can be verified, before its body is read; return the secret.

    Raises:
        BillingDisabled, BillingNotConfigured: there is nothing to verify it with.
        InvalidSignature: the header is missing, or not of Stripe's form.
    """
    require_enabled(context)
    secret = context.settings.stripe_webhook_secret
    if not secret:
        raise BillingNotConfigured("SIGNALPOST_STRIPE_WEBHOOK_SECRET is not set, so no notification can be verified.")
    signature.read(header)
    return secret


async def receive(context: AppContext, header: str, body: bytes, secret: str) -> None:
    """Verify a notification and act upon it; it is acknowledged only after its effect is committed.

    Whatever stops this process before that, Stripe sends it again.

    Raises:
        InvalidSignature: it is forged, changed or too old.
        MalformedRequest: it is signed and yet not an event.
        BillingNotConfigured, Unavailable: the customer cannot be read; nothing is changed.
    """
    try:
        signature.verify(header, body, secret, now_seconds=clock.now().timestamp())
    except problems.InvalidSignature as refusal:
        async with context.database.transaction() as db:
            await provider.note_refused(db, clock.now(), refusal.code)
        raise
    async with context.database.transaction() as db:
        await provider.note_heard(db, clock.now())
    event = _decoded(body)
    customer_id = _customer(event)
    if event.type not in HEARD or customer_id is None:
        _log.debug("notification.ignored", type=foreign.line(event.type, 100))
        return
    await settle(context, customer_id)
    concerns_us = remote.WORKSPACE_KEY.encode() in body
    await refresh(context, customer_id, notification=Notification(event.id, event.type, concerns_us))


async def purge(db: Db) -> bool:
    """Forget notifications that Stripe sends no more, a batch of them; return whether to repeat."""
    return await batches.run(db, [_PURGE])


def _decoded(body: bytes) -> _Event:
    try:
        event = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise problems.MalformedRequest("The body is not an event of Stripe.") from None
    if not _ID.fullmatch(event.id):
        raise problems.MalformedRequest("The id of the event is not one of Stripe.")
    return event


def _customer(event: _Event) -> str | None:
    about = event.data.object
    return foreign.identifier(about.id if about.object == "customer" else about.customer, 255)
