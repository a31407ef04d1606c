"""Access tokens (JWT, HS256), refresh tokens, one-time tokens. Pure: no database, no settings."""

import base64
import hashlib
from datetime import timedelta
from typing import Final, Literal
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.identity.errors import TokenExpired
from signalpost.kit import cells, clock, crypto, ids
from signalpost.kit.crypto import KeyRing
from signalpost.web.fields import UserId, WorkspaceId

ACCESS_SECONDS: Final = 15 * 60
REFRESH: Final = timedelta(days=30)
_HEADER: Final = {"alg": "HS256", "typ": "JWT"}
"""Of a token, after the name of its cell, if it has one: so the first part of all tokens of a cell is the same text, by
which a router knows the cell."""
_LENGTH_MAX: Final = 1_024  # ours are about 430 characters
_CLOCK_SKEW_SECONDS: Final = 60  # between processes of one installation
_PURPOSE: Final = "access-token"
_REFRESH_PURPOSE: Final = "refresh-token"
_REFRESH_PREFIX: Final = "spr_"
_GENERATION_BYTES: Final = 4
COOKIE_PREFIX: Final = "sps_"
_COOKIE_PURPOSE: Final = "session-cookie"
_COOKIE_LENGTH: Final = 107  # 80 bytes in base64url
_INVITE_PURPOSES: Final = {False: "team-invite", True: "team-invite-mailed"}
_INVITE_MAC_BYTES: Final = 23
_INVITE_LENGTH: Final = 52  # 39 bytes in base64url
_REFRESH_LENGTH: Final = 70  # 52 bytes in base64url


class Claims(Struct, forbid_unknown_fields=True, kw_only=True):
    """The claims of an access token. Role and workspace are read again from the database: they may have changed."""

    iss: Literal["signalpost"] = "signalpost"
    aud: Literal["signalpost-api"] = "signalpost-api"
    sub: str
    wsp: str
    role: str
    sid: UUID
    iat: int
    exp: int


class Access(Struct, frozen=True, kw_only=True):
    """The user, workspace and session that an access token was issued for."""

    user_id: UUID
    workspace_id: UUID
    session_id: UUID


def mint(keys: KeyRing, access: Access, role: str) -> str:
    """Return an access token that is valid for 15 minutes."""
    now = int(clock.now().timestamp())
    claims = {
        "iss": "signalpost",
        "aud": "signalpost-api",
        "sub": ids.encode("usr", access.user_id),
        "wsp": ids.encode("wsp", access.workspace_id),
        "role": role,
        "sid": str(access.session_id),
        "iat": now,
        "exp": now + ACCESS_SECONDS,
    }
    header = _HEADER if keys.cell == cells.SINGLE else {"cell": keys.cell} | _HEADER
    signed = f"{_b64(msgspec.json.encode(header))}.{_b64(msgspec.json.encode(claims))}"
    return f"{signed}.{_signature(signed, keys.derive(_PURPOSE))}"


def read(keys: KeyRing, text: str) -> Access | None:
    """Return what a token of ours was issued for, else None. Nothing in the token chooses the key or the algorithm.

    Raises:
        TokenExpired: it is ours, and it has expired.
    """
    if len(text) > _LENGTH_MAX or text.count(".") != 2:
        return None
    for key in keys.derive_each(_PURPOSE):
        claims = _claims(text, key)
        if claims is not None:
            return _access(claims)
    return None


def _claims(text: str, key: bytes) -> Claims | None:
    """Return the claims if the token was signed with this key; nothing in it is looked at before that is certain."""
    signed, _, signature = text.rpartition(".")
    if not crypto.equal(_signature(signed, key), signature):
        return None
    header, _, claims = signed.partition(".")
    try:
        members = msgspec.json.decode(_from_b64(header), type=dict[str, str])
        members.pop("cell", None)
        if members != _HEADER:
            return None
        return msgspec.json.decode(_from_b64(claims), type=Claims)
    except (ValueError, msgspec.MsgspecError):
        return None


def _signature(signed: str, key: bytes) -> str:
    """Return the HS256 signature of RFC 7515."""
    return _b64(crypto.hmac_sha256(key, signed.encode("utf-8", "surrogatepass")))


def _access(claims: Claims) -> Access | None:
    now = clock.now().timestamp()
    if claims.iat > now + _CLOCK_SKEW_SECONDS or claims.exp - claims.iat > ACCESS_SECONDS:
        return None
    user_id, workspace_id = UserId.parse(claims.sub), WorkspaceId.parse(claims.wsp)
    if user_id is None or workspace_id is None:
        return None
    if claims.exp <= now:
        raise TokenExpired("This access token has expired; it was valid for 15 minutes.")
    return Access(user_id=user_id, workspace_id=workspace_id, session_id=claims.sid)


def refresh_token(keys: KeyRing, session_id: UUID, generation: int) -> str:
    """Return the refresh token of this generation of a session: opaque to clients, readable here without a lookup.

    It is derived, not random: a client that lost the response gets the same token again, and a used token is recognised
    however old it is, without a row for each.
    """
    body = session_id.bytes + generation.to_bytes(_GENERATION_BYTES, "big")
    secret = _b64(body + crypto.hmac_sha256(keys.derive(_REFRESH_PURPOSE), body))
    return _REFRESH_PREFIX + cells.with_name(keys.cell, secret)


def read_refresh_token(keys: KeyRing, text: str) -> tuple[UUID, int] | None:
    """Return the session and the generation of a refresh token of ours, else None."""
    secret = _secret_of(text, _REFRESH_PREFIX, _REFRESH_LENGTH)
    if secret is None:
        return None
    try:
        raw = _from_b64(secret)
    except ValueError:
        return None
    body, mac = raw[: 16 + _GENERATION_BYTES], raw[16 + _GENERATION_BYTES :]
    if not any(crypto.equal(crypto.hmac_sha256(key, body), mac) for key in keys.derive_each(_REFRESH_PURPOSE)):
        return None
    return UUID(bytes=body[:16]), int.from_bytes(body[16:], "big")


def cookie_token(keys: KeyRing, access: Access) -> str:
    """Return what a browser keeps in its cookie: the session, signed. It works as long as the session does."""
    body = access.session_id.bytes + access.user_id.bytes + access.workspace_id.bytes
    secret = _b64(body + crypto.hmac_sha256(keys.derive(_COOKIE_PURPOSE), body))
    return COOKIE_PREFIX + cells.with_name(keys.cell, secret)


def read_cookie_token(keys: KeyRing, text: str) -> Access | None:
    """Return what a cookie of ours was issued for, else None."""
    secret = _secret_of(text, COOKIE_PREFIX, _COOKIE_LENGTH)
    if secret is None:
        return None
    try:
        raw = _from_b64(secret)
    except ValueError:
        return None
    body, mac = raw[:48], raw[48:]
    if not any(crypto.equal(crypto.hmac_sha256(key, body), mac) for key in keys.derive_each(_COOKIE_PURPOSE)):
        return None
    session_id, user_id, workspace_id = (UUID(bytes=body[start : start + 16]) for start in (0, 16, 32))
    return Access(user_id=user_id, workspace_id=workspace_id, session_id=session_id)


def invite_token(keys: KeyRing, member_id: UUID, *, mailed: bool = False) -> str:
    """Return the token of an invitation: stored nowhere, and the same whenever it is made.

    The mailed one is another than the one that the inviter sees: who has it reads the mailbox.
    """
    secret = _b64(member_id.bytes + _invite_mac(keys.derive(_INVITE_PURPOSES[mailed]), member_id))
    return cells.with_name(keys.cell, secret)


def read_invite_token(keys: KeyRing, text: str) -> tuple[UUID | None, bool]:
    """Return the invitation of a token of ours, else None; and whether it is the mailed one."""
    secret = _secret_of(text, "", _INVITE_LENGTH)
    if secret is None:
        return None, False
    try:
        raw = _from_b64(secret)
    except ValueError:
        return None, False
    member_id = UUID(bytes=raw[:16])
    for mailed, purpose in _INVITE_PURPOSES.items():
        if any(crypto.equal(_invite_mac(key, member_id), raw[16:]) for key in keys.derive_each(purpose)):
            return member_id, mailed
    return None, False


def _secret_of(text: str, prefix: str, length: int) -> str | None:
    """Return the secret part of a credential without the name of a cell; None: it cannot be one of ours."""
    secret = cells.without_name(text.removeprefix(prefix))
    return secret if text.startswith(prefix) and len(secret) == length and secret.isascii() else None


def _invite_mac(key: bytes, member_id: UUID) -> bytes:
    return crypto.hmac_sha256(key, member_id.bytes)[:_INVITE_MAC_BYTES]


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _from_b64(text: str) -> bytes:
    """Decode; raises ValueError."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def digest(token: str) -> bytes:
    """Return the hash of a one-time token, for storage. Tokens are random, so a plain hash reveals nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
