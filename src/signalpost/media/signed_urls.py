"""Signed URLs: whoever has one may read one file for an hour, or send the bytes of one, without a credential."""

import base64
import time
from typing import Literal
from uuid import UUID

from signalpost.kit import cells, ids
from signalpost.kit.crypto import KeyRing, equal, hmac_sha256

VALID_SECONDS = 3_600
_CONTENT = "media-content"
_UPLOAD = "media-upload"

Variant = Literal["original", "thumbnail"]


def create(keys: KeyRing, base_url: str, media_id: UUID, variant: Variant = "original") -> str:
    """Return a URL that is valid for an hour of real time, whatever `X-Test-Now` says."""
    expires = int(time.time()) + VALID_SECONDS
    signature = _sign(keys, _CONTENT, media_id, variant, expires)
    suffix = "" if variant == "original" else f"&variant={variant}"
    return (
        f"{base_url}/api/v1/media/{ids.encode('med', media_id)}/content?expires={expires}&signature={signature}{suffix}"
    )


def create_form(keys: KeyRing, base_url: str, media_id: UUID, form: str) -> str:
    """Return such a URL of another form of the file, by its key."""
    expires = int(time.time()) + VALID_SECONDS
    signature = _sign(keys, _CONTENT, media_id, _form(form), expires)
    path = f"/api/v1/media/{ids.encode('med', media_id)}/content"
    return f"{base_url}{path}?expires={expires}&signature={signature}&form={form}"


def is_valid(
    keys: KeyRing, media_id: UUID, variant: Variant, expires: int, signature: str, form: str | None = None
) -> bool:
    """Whether this signature was made with one of our keys and has not expired."""
    return _is_valid(keys, _CONTENT, media_id, variant if form is None else _form(form), expires, signature)


def create_upload(keys: KeyRing, base_url: str, media_id: UUID, expires: int) -> str:
    """Return the URL to which the bytes of a file can be sent until then, in Unix seconds."""
    signature = _sign(keys, _UPLOAD, media_id, "put", expires)
    return f"{base_url}/api/v1/media/{ids.encode('med', media_id)}/upload?expires={expires}&signature={signature}"


def is_valid_upload(keys: KeyRing, media_id: UUID, expires: int, signature: str) -> bool:
    """Whether `create_upload` made this signature, and it has not expired."""
    return _is_valid(keys, _UPLOAD, media_id, "put", expires, signature)


def _sign(keys: KeyRing, purpose: str, media_id: UUID, what: str, expires: int) -> str:
    return cells.with_name(keys.cell, _mac(keys.derive(purpose), media_id, what, expires))


def _is_valid(keys: KeyRing, purpose: str, media_id: UUID, what: str, expires: int, signature: str) -> bool:
    mac = cells.without_name(signature)
    valid = (_mac(key, media_id, what, expires) for key in keys.derive_each(purpose))
    return time.time() < expires and any(equal(mac, expected) for expected in valid)


def _form(key: str) -> str:
    return f"form:{key}"


def _mac(key: bytes, media_id: UUID, what: str, expires: int) -> str:
    mac = hmac_sha256(key, f"{media_id.hex}|{what}|{expires}".encode())
    return base64.urlsafe_b64encode(mac[:24]).decode()
