"""Codes, access tokens, refresh tokens and secrets of apps, and their scopes. Pure: no database, no settings."""

import base64
import binascii
import hashlib
import re
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.identity.authenticate import APP_TOKEN_PREFIX
from signalpost.kit import cells, clock, crypto
from signalpost.kit.crypto import ApiKeyParts, KeyRing, Undecipherable
from signalpost.settings import BRAND_KEY
from signalpost.web.caller import SCOPES

CODE_SECONDS: Final = 60
ACCESS: Final = timedelta(hours=1)
REFRESH: Final = timedelta(days=90)
"""So long an app may stay away; each refresh begins it again."""

NEVER: Final = frozenset({"keys:write", "team:read", "team:write", "billing:read", "instance:admin"})
"""Who belongs to a workspace, what it pays, and who else has access stays with its people: decision 0430."""
APP_SCOPES: Final = tuple(scope for scope in SCOPES if scope not in NEVER)
DEFAULT_SCOPES: Final = ("accounts:read", "analytics:read", "media:write", "posts:read", "posts:write")
"""Of a request that names none: it reads and drafts."""
ASSISTANT_SCOPES: Final = (*DEFAULT_SCOPES, "posts:publish")
"""What the tools of `/mcp` need."""
_IGNORED: Final = frozenset({"offline_access"})
"""Some clients ask for it to get a refresh token, which every app gets."""

ACCESS_PREFIX: Final = APP_TOKEN_PREFIX
SECRET_PREFIX: Final = f"{BRAND_KEY}_ocs"
CODE_PREFIX: Final = f"{BRAND_KEY}_oac_"
REFRESH_PREFIX: Final = f"{BRAND_KEY}_ort_"
_LENGTH_MAX: Final = 4_000
_GENERATION_BYTES: Final = 4
_REFRESH_LENGTH: Final = 70  # 52 bytes in base64url
_VERIFIER: Final = re.compile(r"[A-Za-z0-9\-._~]{43,128}", re.ASCII)
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9\-_]{43}", re.ASCII)


class Authorization(Struct, frozen=True, kw_only=True):
    """What a person allowed an app, as its code says it. It travels sealed, so that nothing is stored for it."""

    id: UUID
    app_id: UUID
    user_id: UUID
    session_id: UUID
    workspace_id: UUID
    scopes: tuple[str, ...]
    profile_ids: tuple[UUID, ...] | None
    redirect_uri: str
    challenge: str
    expires: float


def requested_scopes(text: str | None) -> tuple[tuple[str, ...], str | None]:
    """Return what a `scope` asks for, in our order, and the first scope in it that no app can have."""
    names = set((text or "").split()) - _IGNORED
    unknown = next((name for name in sorted(names) if name not in APP_SCOPES), None)
    return tuple(scope for scope in APP_SCOPES if scope in (names or DEFAULT_SCOPES)), unknown


def is_challenge(text: str) -> bool:
    """Whether a text can be a challenge of the method S256."""
    return _CHALLENGE.fullmatch(text) is not None


def answers(verifier: str, challenge: str) -> bool:
    """Whether this is the verifier of a challenge (RFC 7636, S256)."""
    if _VERIFIER.fullmatch(verifier) is None:
        return False
    return crypto.equal(_b64(hashlib.sha256(verifier.encode("ascii")).digest()), challenge)


def code_of(keys: KeyRing, authorization: Authorization) -> str:
    """Return the code of an authorization."""
    sealed = keys.seal(msgspec.msgpack.encode(authorization), context="apps.code")
    return CODE_PREFIX + cells.with_name(keys.cell, _b64(sealed))


def read_code(keys: KeyRing, text: str) -> Authorization | None:
    """Return what a code of ours stands for; None: it is not ours, or older than a minute."""
    if len(text) > _LENGTH_MAX or not text.startswith(CODE_PREFIX) or not text.isascii():
        return None
    try:
        opened = keys.open(_from_b64(cells.without_name(text.removeprefix(CODE_PREFIX))), context="apps.code")
        authorization = msgspec.msgpack.decode(opened, type=Authorization)
    except (binascii.Error, ValueError, Undecipherable, msgspec.MsgspecError):
        return None
    return authorization if authorization.expires > clock.actual().timestamp() else None


def new_access_token(keys: KeyRing, key_id: str) -> ApiKeyParts:
    """Generate an access token of the grant whose key has this public id."""
    return crypto.new_api_key(ACCESS_PREFIX, key_id, cell=keys.cell)


def new_secret(keys: KeyRing) -> ApiKeyParts:
    """Generate the secret of a confidential app."""
    return crypto.new_api_key(SECRET_PREFIX, cell=keys.cell)


def hmacs(keys: KeyRing, parts: ApiKeyParts) -> list[bytes]:
    """Return what is stored of an access token or a secret: under the current master key first, then the older ones."""
    return [crypto.hmac_sha256(pepper, parts.secret.encode()) for pepper in keys.derive_each(parts.prefix)]


def is_stored(keys: KeyRing, parts: ApiKeyParts, stored: bytes | None) -> bool:
    """Whether this is the access token or the secret of which something is stored, in constant time."""
    return any([crypto.equal(stored or bytes(32), digest) for digest in hmacs(keys, parts)]) and stored is not None  # noqa: C419 - all are compared


def refresh_token(keys: KeyRing, grant_id: UUID, generation: int) -> str:
    """Return the refresh token of this generation of a grant: derived, so that a used one is known however old."""
    body = grant_id.bytes + generation.to_bytes(_GENERATION_BYTES, "big")
    secret = _b64(body + crypto.hmac_sha256(keys.derive(REFRESH_PREFIX), body))
    return REFRESH_PREFIX + cells.with_name(keys.cell, secret)


def read_refresh_token(keys: KeyRing, text: str) -> tuple[UUID, int] | None:
    """Return the grant and the generation of a refresh token of ours, else None."""
    secret = cells.without_name(text.removeprefix(REFRESH_PREFIX))
    if not text.startswith(REFRESH_PREFIX) or len(secret) != _REFRESH_LENGTH or not text.isascii():
        return None
    try:
        raw = _from_b64(secret)
    except ValueError:
        return None
    body, mac = raw[: 16 + _GENERATION_BYTES], raw[16 + _GENERATION_BYTES :]
    if not any(crypto.equal(crypto.hmac_sha256(key, body), mac) for key in keys.derive_each(REFRESH_PREFIX)):
        return None
    return UUID(bytes=body[:16]), int.from_bytes(body[16:], "big")


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _from_b64(text: str) -> bytes:
    """Decode; raises ValueError, also for another text of the same bytes than the one that we gave."""
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _b64(data) != text:
        raise ValueError("not the text that encodes these bytes")
    return data
