"""Tokens of subscriptions: they prove that their holder reads the mails, and are stored nowhere."""

import base64
import hashlib
import hmac
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import cells, clock, ids
from signalpost.kit.crypto import KeyRing

UNSUBSCRIBE_PATH: Final = "/status/unsubscribe"
Purpose = Literal["confirm", "unsubscribe"]
_BYTES = 16


def issue(keys: KeyRing, purpose: Purpose, subscriber_id: UUID, created_at: datetime) -> str:
    """Return the token: it ends with the subscription, since a later one is created at another time."""
    return cells.with_name(keys.cell, _token(keys, purpose, subscriber_id, created_at))


def _token(keys: KeyRing, purpose: Purpose, subscriber_id: UUID, created_at: datetime) -> str:
    text = f"{purpose}|{subscriber_id}|{clock.to_micros(created_at)}"
    digest = hmac.digest(keys.derive("status-subscription"), text.encode(), hashlib.sha256)[:_BYTES]
    return f"{ids.encode('sub', subscriber_id)}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def subscriber_of(token: str) -> UUID | None:
    """Return the id that a token names; whether the token is genuine, `is_valid` says."""
    return ids.decode("sub", cells.without_name(token).partition(".")[0])


def is_valid(keys: KeyRing, token: str, purpose: Purpose, subscriber_id: UUID, created_at: datetime) -> bool:
    """Whether we issued the token for this."""
    expected = _token(keys, purpose, subscriber_id, created_at)
    return hmac.compare_digest(cells.without_name(token).encode(), expected.encode())


def id_of_email(keys: KeyRing, email: str) -> UUID:
    """Return the id of the subscription of an address: always the same, so it tells nobody whether there was one."""
    digest = hmac.digest(keys.derive("status-subscriber"), email.encode(), hashlib.sha256)
    return UUID(bytes=digest[:16], version=4)


def unsubscribe_url(context: AppContext, token: str) -> str:
    """Return the address that ends a subscription."""
    return f"{context.fixed_url}{UNSUBSCRIBE_PATH}?token={token}"
