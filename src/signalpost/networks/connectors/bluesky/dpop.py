"""Calls that prove who makes them: each is signed with a key of the session (DPoP, RFC 9449), so its token is no use to
anyone else. Servers want a nonce of theirs in each signature, and change it every few minutes.
"""

import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from signalpost.kit import foreign
from signalpost.kit.lru import LruDict
from signalpost.networks.contract import ApiError, Response, Server
from signalpost.networks.responses import members

NONCE_LENGTH_MAX = 500
SERVERS_MAX = 1_000
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256
_nonces: LruDict[str, str] = LruDict(SERVERS_MAX)
"""The newest nonce of each server that was called, by scheme and host. They are public, and the same for everybody."""


class Key:
    """A P-256 key that signs JSON Web Tokens with ES256, made from a secret: the same secret is the same key."""

    def __init__(self, secret: bytes) -> None:
        number = int.from_bytes(hashlib.sha256(secret).digest()) % (_ORDER - 1) + 1
        self._private = ec.derive_private_key(number, ec.SECP256R1())

    @property
    def public(self) -> dict[str, str]:
        """The public key as a JWK."""
        numbers = self._private.public_key().public_numbers()
        return {"kty": "EC", "crv": "P-256", "x": _encode(numbers.x.to_bytes(32)), "y": _encode(numbers.y.to_bytes(32))}

    @property
    def id(self) -> str:
        """The thumbprint of the public key (RFC 7638)."""
        members = {name: self.public[name] for name in ("crv", "kty", "x", "y")}
        return _encode(hashlib.sha256(msgspec.json.encode(members)).digest())

    def sign(self, header: Mapping[str, Any], claims: Mapping[str, Any]) -> str:
        """Return a signed token."""
        parts = [_encode(msgspec.json.encode({"alg": "ES256", **header})), _encode(msgspec.json.encode(claims))]
        r, s = decode_dss_signature(self._private.sign(".".join(parts).encode(), ec.ECDSA(SHA256())))
        return ".".join([*parts, _encode(r.to_bytes(32) + s.to_bytes(32))])


async def send(
    server: Server,
    key: Key,
    method: str,
    path: str,
    *,
    now: Callable[[], datetime],
    token: str | None = None,
    read: Callable[[], Any] | None = None,
    **rest: Any,
) -> Response:
    """Call a server with a proof; if it wants another nonce, which means that it did nothing, call once more.

    Args:
        server: to call.
        key: of the session.
        method: in upper case.
        path: on the server, or a whole address.
        now: the clock.
        token: the access token, where the call needs one.
        read: begins to read the body; called for each attempt.
        rest: as `Server.call`.

    Raises:
        ApiError, kit.http.HttpFailure: as `Server.call`; `wants_nonce` if the second proof was not accepted either.
    """
    url = path if path.startswith(("https://", "http://")) else server.base_url + path
    headers = {**rest.pop("headers", {}), **({"Authorization": f"DPoP {token}"} if token else {})}
    origin = "://".join(urlsplit(url)[:2])
    for last in (False, True):
        body = {} if read is None else {"data": read()}
        headers["DPoP"] = _proof(key, method, url, _nonces.get(origin), token, now())
        try:
            response = await server.call(method, path, headers=headers, **body, **rest)
        except ApiError as error:
            _note(origin, error.response)
            if last or not wants_nonce(error.response):
                raise
        else:
            _note(origin, response)
            return response
    raise AssertionError("the loop returns or raises")


def wants_nonce(response: Response) -> bool:
    """Return whether a server refused a proof for its nonce alone (RFC 9449, sections 8 and 9): it did nothing else."""
    if response.status not in {400, 401}:
        return False
    challenge = response.headers.get("WWW-Authenticate") or ""
    return members(response).get("error") == "use_dpop_nonce" or 'error="use_dpop_nonce"' in challenge[:1_000]


def _proof(key: Key, method: str, url: str, nonce: str | None, token: str | None, now: datetime) -> str:
    claims: dict[str, Any] = {
        "jti": secrets.token_urlsafe(16),
        "htm": method,
        "htu": url.partition("?")[0].partition("#")[0],
        "iat": int(now.timestamp()),
    }
    if nonce is not None:
        claims["nonce"] = nonce
    if token is not None:
        claims["ath"] = _encode(hashlib.sha256(token.encode()).digest())
    return key.sign({"typ": "dpop+jwt", "jwk": key.public}, claims)


def _note(origin: str, response: Response) -> None:
    nonce = foreign.identifier(response.headers.get("DPoP-Nonce"), NONCE_LENGTH_MAX)
    if nonce is not None:
        _nonces[origin] = nonce


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
