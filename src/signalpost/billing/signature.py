"""The signature of a notification: `Stripe-Signature: t=<seconds>,v1=<hex>`, HMAC-SHA256 of `<t>.<body>`.

Source: docs.stripe.com/webhooks/signature
"""

import hashlib
import hmac
import re
from typing import Final

from signalpost.kit.problems import InvalidSignature

TOLERANCE_SECONDS: Final = 300
HEADER_CHARACTERS_MAX: Final = 2_000
_SIGNATURES_MAX: Final = 10
"""While a secret is being replaced, Stripe signs with both."""
_TIMESTAMP: Final = re.compile(r"\d{1,12}", re.ASCII)


def read(header: str) -> tuple[int, list[str]]:
    """Return when a notification was signed, in seconds since 1970, and its signatures.

    Raises:
        InvalidSignature: the header is not of this form.
    """
    if not header:
        raise InvalidSignature("The header Stripe-Signature is missing.")
    if len(header) > HEADER_CHARACTERS_MAX:
        raise InvalidSignature("The header Stripe-Signature is too long.")
    parts = [part.partition("=")[::2] for part in header.split(",")]
    timestamps = [value for name, value in parts if name == "t"]
    signatures = [value for name, value in parts if name == "v1"][:_SIGNATURES_MAX]
    if not timestamps or not _TIMESTAMP.fullmatch(timestamps[0]) or not signatures:
        raise InvalidSignature("The header Stripe-Signature is not of the form t=…,v1=….")
    return int(timestamps[0]), signatures


def verify(header: str, body: bytes, secret: str, *, now_seconds: float) -> None:
    """Ensure that Stripe signed exactly these bytes within the last five minutes.

    Raises:
        InvalidSignature: it did not.
    """
    signed_at, signatures = read(header)
    expected = hmac.new(secret.encode(), b"%d." % signed_at + body, hashlib.sha256).hexdigest().encode()
    # All are compared, so that the time does not tell which one was nearly right.
    if not any([hmac.compare_digest(expected, signature.encode()) for signature in signatures]):  # noqa: C419
        raise InvalidSignature("The signature does not belong to this body and the secret of this endpoint.")
    if signed_at < now_seconds - TOLERANCE_SECONDS:
        raise InvalidSignature(f"The notification was signed more than {TOLERANCE_SECONDS} seconds ago.")
