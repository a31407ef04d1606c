"""Deliveries of webhooks: verify one, or sign one to test your receiver. Standard Webhooks, without dependencies."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from signalpost_client.errors import ConfigurationError, InvalidDelivery

if TYPE_CHECKING:
    from signalpost_client._generated import events
    from signalpost_client._generated.events import *  # noqa: F403 - a type for each event

TOLERANCE_SECONDS: Final = 300


def verify(
    raw_body: bytes | str,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> "events.Event":
    """Return the event of a delivery. Its `type` tells which one it is; `id` is the same for all attempts.

    An event of a type that this version does not know is returned as well.

    Args:
        raw_body: the bytes as they arrived, before anything parsed them.
        headers: of the request, with names in any case.
        secret: of the webhook, `whsec_…`.
        tolerance_seconds: how old a delivery may be, or how far your clock may be behind.
        now: Unix seconds, instead of the clock.

    Raises:
        InvalidDelivery: a header is missing, no signature fits, or the delivery is too old.
        ConfigurationError: the secret is not one.
    """
    present = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in ("webhook-id", "webhook-timestamp", "webhook-signature") if not present.get(name)]
    if missing:
        raise InvalidDelivery(f"The header {missing[0]} is missing: this is not a delivery of Signalpost.")
    identity, timestamp, signatures = (present[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 15):
        raise InvalidDelivery("The header webhook-timestamp is not a number of seconds.")
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    expected = _signature(body, secret, identity, timestamp).encode()
    # Every signature is compared, and in constant time; two while a secret is rotated.
    fits = [hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" ")[:16]]
    if not any(fits):
        raise InvalidDelivery("No signature fits: another secret, or not the bytes that arrived.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise InvalidDelivery(f"The delivery is not of the last {tolerance_seconds:g} seconds, or your clock is wrong.")
    try:
        event: events.Event = json.loads(body)
    except ValueError:
        raise InvalidDelivery("The body is not JSON.") from None
    return event


def sign(
    raw_body: bytes | str, secret: str, *, message_id: str = "evt_test", timestamp: int | None = None
) -> dict[str, str]:
    """Return the headers of a delivery, to test a receiver."""
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    at = str(int(time.time()) if timestamp is None else timestamp)
    signature = _signature(body, secret, message_id, at)
    return {"webhook-id": message_id, "webhook-timestamp": at, "webhook-signature": signature}


def _signature(body: bytes, secret: str, identity: str, timestamp: str) -> str:
    try:
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ConfigurationError("The secret is not that of a webhook: it starts with whsec_ and is base64.")
    signed = f"{identity}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def __getattr__(name: str) -> Any:
    """Find the type of an event: they are generated."""
    if not name.startswith("_"):
        from signalpost_client._generated import events

        if hasattr(events, name):
            return getattr(events, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
