"""Secrets and signatures of deliveries: two schemes with the same secret, see docs/guides/webhooks.md.

Source: interface specification, sections 4 (Outgoing delivery) and 5.5; Standard Webhooks 1.0.0.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.kit.crypto import KeyRing, SealedColumn

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """Return `whsec_` + 32 random bytes in padded base64, without the two characters in which base64url differs.

    Every library thus reads the same key from it, whichever alphabet and padding it requires. Drawing again until that
    holds takes four draws on average and costs two bits.
    """
    while True:
        text = base64.b64encode(os.urandom(SECRET_BYTES)).decode()
        if "+" not in text and "/" not in text:
            return PREFIX + text


def seal(keys: KeyRing, webhook_id: UUID, workspace_id: UUID, secret: str) -> bytes:
    """Return the secret as it is stored: readable only with the master key, and only for this webhook."""
    return keys.seal(secret.encode(), context=sealed_as(webhook_id, workspace_id))


def unseal(keys: KeyRing, webhook_id: UUID, workspace_id: UUID, sealed: bytes) -> str:
    """Return the secret.

    Raises:
        Undecipherable: it was sealed with a key that we do not have, or for another webhook.
    """
    return keys.open(sealed, context=sealed_as(webhook_id, workspace_id)).decode()


def body_signature(secret: str, body: bytes) -> str:
    """Return the value of `X-<Brand>-Signature`: `sha256=` and 64 hex digits.

    Args:
        secret: as it was shown to the user; the key is all of it, in UTF-8.
        body: the exact bytes on the wire.
    """
    return "sha256=" + hmac.digest(secret.encode(), body, hashlib.sha256).hex()


def standard_signatures(secrets: Sequence[str], delivery_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of `webhook-signature`: `v1,` and base64 for each secret, separated by spaces.

    Args:
        secrets: the current one first; the key is what the part after `whsec_` decodes to.
        delivery_id: value of `webhook-id`.
        timestamp: value of `webhook-timestamp`, seconds since 1970.
        body: the exact bytes on the wire.
    """
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    return " ".join("v1," + base64.b64encode(_standard(secret, signed)).decode() for secret in secrets)


def _standard(secret: str, signed: bytes) -> bytes:
    return hmac.digest(base64.b64decode(secret.removeprefix(PREFIX)), signed, hashlib.sha256)


def headers(
    *,
    brand: str,
    event_type: str,
    delivery_id: str,
    attempt_number: int,
    timestamp: int,
    secrets: Sequence[str],
    body: bytes,
    standard: bool = True,
) -> dict[str, str]:
    """Return the headers of one attempt; `standard`: with those of Standard Webhooks."""
    own = unsigned_headers(
        brand=brand, event_type=event_type, delivery_id=delivery_id, attempt_number=attempt_number, timestamp=timestamp
    )
    own[f"X-{brand}-Signature"] = body_signature(secrets[0], body)
    if not standard:
        return own
    return own | {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": standard_signatures(secrets, delivery_id, timestamp, body),
    }


def unsigned_headers(
    *, brand: str, event_type: str, delivery_id: str, attempt_number: int, timestamp: int
) -> dict[str, str]:
    """Return the headers of one attempt that tell what it is, without those that prove it."""
    return {
        "Content-Type": "application/json",
        f"X-{brand}-Event": event_type,
        f"X-{brand}-Delivery": delivery_id,
        f"X-{brand}-Attempt": str(attempt_number),
        f"X-{brand}-Timestamp": str(timestamp),
    }


def sealed_as(webhook_id: UUID, workspace_id: UUID) -> str:
    """Return the context under which a secret is sealed."""
    return f"webhook.secret|{webhook_id}|{workspace_id}"


SEALED: Final = tuple(
    SealedColumn(
        "webhook", {"id": "uuid"}, column, lambda row: sealed_as(row["id"], row["workspace_id"]), ("workspace_id",)
    )
    for column in ("secret", "former_secret", "next_secret")
)
