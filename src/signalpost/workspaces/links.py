"""Signed URLs: whoever has one may fetch one export for an hour, without a credential."""

import base64
import time
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.kit import cells, ids
from signalpost.kit.crypto import KeyRing, equal, hmac_sha256

VALID_SECONDS: Final = 3_600
_PURPOSE: Final = "workspace-export"


def create(keys: KeyRing, base_url: str, workspace_id: UUID, requested_at: datetime) -> str:
    """Return a URL that is valid for an hour of real time, for the export that was requested then."""
    expires = int(time.time()) + VALID_SECONDS
    signature = cells.with_name(keys.cell, _mac(keys.derive(_PURPOSE), workspace_id, requested_at, expires))
    path = f"/api/v1/workspaces/{ids.encode('wsp', workspace_id)}/export/content"
    return f"{base_url}{path}?expires={expires}&signature={signature}"


def is_valid(keys: KeyRing, workspace_id: UUID, requested_at: datetime, expires: int, signature: str) -> bool:
    """Whether this signature was made with one of our keys, for this export, and has not expired."""
    mac = cells.without_name(signature)
    valid = (_mac(key, workspace_id, requested_at, expires) for key in keys.derive_each(_PURPOSE))
    return time.time() < expires and any(equal(mac, expected) for expected in valid)


def _mac(key: bytes, workspace_id: UUID, requested_at: datetime, expires: int) -> str:
    mac = hmac_sha256(key, f"{workspace_id.hex}|{requested_at.timestamp():.6f}|{expires}".encode())
    return base64.urlsafe_b64encode(mac[:24]).decode()
