"""Confirmation tokens: proof that this key has had exactly these contents validated. Nothing is stored."""

import base64
import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec

from signalpost.kit import clock
from signalpost.kit.crypto import KeyRing, equal, hmac_sha256
from signalpost.mcp.errors import ConfirmationRequired
from signalpost.web.caller import Caller

LIFETIME: Final = timedelta(minutes=30)
_PURPOSE: Final = "mcp-confirmation"
_NONCE_BYTES: Final = 9
_CHARACTERS_MAX: Final = 120


class Confirmation(NamedTuple):
    """A token, and when it expires."""

    token: str
    expires_at: datetime


def issue(keys: KeyRing, caller: Caller, contents: Any) -> Confirmation:
    """Return a new token for these contents, which were found valid for this key."""
    expires_at = (clock.now() + LIFETIME).replace(microsecond=0)
    head = f"{int(expires_at.timestamp())}.{secrets.token_urlsafe(_NONCE_BYTES)}"
    return Confirmation(f"{head}.{_signature(keys.derive(_PURPOSE), head, caller, contents)}", expires_at)


def require(keys: KeyRing, caller: Caller, contents: Any, token: object) -> None:
    """Verify a token.

    Raises:
        ConfirmationRequired: it is missing, has expired, or was given for other contents or to another key.
    """
    if not isinstance(token, str) or not token:
        raise ConfirmationRequired("There is no `confirmationToken`.")
    head, _, signature = token[:_CHARACTERS_MAX].rpartition(".")
    expiry = head.partition(".")[0]
    expected = (_signature(key, head, caller, contents) for key in keys.derive_each(_PURPOSE))
    if not expiry.isdecimal() or not any(equal(signature, candidate) for candidate in expected):
        raise ConfirmationRequired("This `confirmationToken` was not given for these contents and this key.")
    if int(expiry) <= clock.now().timestamp():
        raise ConfirmationRequired("This `confirmationToken` has expired.")


def _signature(key: bytes, head: str, caller: Caller, contents: Any) -> str:
    digest = hashlib.sha256(msgspec.json.encode(contents, order="sorted")).digest()
    whose = caller.workspace_id.bytes + (caller.key_id or caller.user_id).bytes
    signature = hmac_sha256(key, whose + digest + head.encode("utf-8", "surrogatepass"))
    return base64.urlsafe_b64encode(signature).rstrip(b"=").decode()
