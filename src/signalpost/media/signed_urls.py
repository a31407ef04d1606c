"""Signed URLs of stored bytes: whoever has one may read that file for an hour, without a credential."""

import base64
import time
from typing import Literal
from uuid import UUID

from signalpost.kit import ids
from signalpost.kit.crypto import KeyRing, equal, hmac_sha256

VALID_SECONDS = 3_600
_PURPOSE = "media-content"

Variant = Literal["original", "thumbnail"]


def create(keys: KeyRing, base_url: str, media_id: UUID, variant: Variant = "original") -> str:
    """Return a URL that is valid for an hour of real time, whatever `X-Test-Now` says."""
    expires = int(time.time()) + VALID_SECONDS
    signature = _mac(keys.derive(_PURPOSE), media_id, variant, expires)
    suffix = "" if variant == "original" else f"&variant={variant}"
    return (
        f"{base_url}/api/v1/media/{ids.encode('med', media_id)}/content?expires={expires}&signature={signature}{suffix}"
    )


def is_valid(keys: KeyRing, media_id: UUID, variant: Variant, expires: int, signature: str) -> bool:
    """Whether this signature was made with one of our keys and has not expired."""
    valid = (_mac(key, media_id, variant, expires) for key in keys.derive_each(_PURPOSE))
    return time.time() < expires and any(equal(signature, expected) for expected in valid)


def _mac(key: bytes, media_id: UUID, variant: str, expires: int) -> str:
    mac = hmac_sha256(key, f"{media_id.hex}|{variant}|{expires}".encode())
    return base64.urlsafe_b64encode(mac[:24]).decode()
