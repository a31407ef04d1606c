"""Time-based one-time passwords of RFC 6238, as authenticator apps make them: SHA-1, 6 digits, 30 seconds. Pure."""

import base64
import hmac
import secrets
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlencode

STEP_SECONDS: Final = 30
DIGITS: Final = 6
STEPS_AROUND: Final = 1
"""Codes of one step before and after the current one work, too: clocks differ, and people type slowly."""
_SECRET_BYTES: Final = 20
_RECOVERY_BYTES: Final = 10  # 80 bits


def new_secret() -> bytes:
    """Return a random secret."""
    return secrets.token_bytes(_SECRET_BYTES)


def shown_secret(secret: bytes) -> str:
    """Return a secret as people type it into an app."""
    return base64.b32encode(secret).decode()


def uri(secret: bytes, email: str, issuer: str) -> str:
    """Return the address that apps read from a QR code."""
    query = urlencode({"secret": shown_secret(secret), "issuer": issuer}, quote_via=quote)
    return f"otpauth://totp/{quote(issuer)}:{quote(email)}?{query}"


def code_at(secret: bytes, step: int) -> str:
    """Return the code of a step, the number of 30 seconds since 1970."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**DIGITS).zfill(DIGITS)


def step_of(instant: datetime) -> int:
    """Return the step of an instant."""
    return int(instant.timestamp()) // STEP_SECONDS


def matching_step(secret: bytes, code: str, now: datetime, last_step: int | None) -> int | None:
    """Return the step whose code this is, if it may be used now: later than the last one that was used."""
    current = step_of(now)
    for step in range(current - STEPS_AROUND, current + STEPS_AROUND + 1):
        matches = hmac.compare_digest(code_at(secret, step).encode(), code.encode("utf-8", "surrogatepass"))
        if matches and (last_step is None or step > last_step):
            return step
    return None


def new_recovery_code() -> str:
    """Return a random code such as `k3zq-7m2p-x4ah-9wtd`."""
    text = base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower()
    return "-".join(text[index : index + 4] for index in range(0, len(text), 4))


def normalised(code: str) -> str:
    """Return a code without spaces, hyphens and case."""
    return code.replace(" ", "").replace("-", "").lower()
