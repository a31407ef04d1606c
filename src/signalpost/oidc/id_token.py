"""The checks of an ID token: OpenID Connect Core 1.0, section 3.1.3.7, and RFC 8725."""

import asyncio
import importlib
import re
from collections.abc import Callable
from typing import Any, Final, TypeGuard

from signalpost.context import AppContext
from signalpost.kit import clock, crypto, log
from signalpost.oidc.errors import SignInRefused
from signalpost.oidc.provider import Provider

ALGORITHMS: Final = {
    "RS256": "RSA", "RS384": "RSA", "RS512": "RSA", "PS256": "RSA", "PS384": "RSA", "PS512": "RSA",
    "ES256": "EC", "ES384": "EC", "Ed25519": "OKP",
}  # fmt: skip
"""The accepted signatures and the type of key of each. All need the provider's private key: a secret that we share
with it signs nothing, and what the token says about its algorithm chooses only among these."""
SKEW_SECONDS: Final = 60
AGE_SECONDS_MAX: Final = 600
"""A token is read within seconds; one that was issued long ago was kept by someone."""
LENGTH_MAX: Final = 20_000
_KEY_MEMBERS: Final = ("kty", "n", "e", "crv", "x", "y")
_MODULUS_LENGTH_MAX: Final = 1_366  # 8192 bits in base64url
_COMPACT: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_ClaimsOf = Callable[[str, dict[str, str], str], dict[str, Any] | None]
_logger = log.get("oidc")


async def verify(context: AppContext, token: str, *, nonce: str) -> dict[str, Any]:
    """Return the claims of a token that the provider issued just now, to us, for the sign-in with this nonce.

    Raises:
        SignInRefused: any of that is not so.
        ProviderUnavailable: its keys cannot be read.
    """
    jose = await asyncio.to_thread(importlib.import_module, "signalpost.oidc.jose")  # 0.1 s, and most never need it
    header = jose.header_of(token) if len(token) <= LENGTH_MAX and _COMPACT.fullmatch(token) else {}
    kind = ALGORITHMS.get(str(header.get("alg")))
    if kind is None:
        raise _refused("algorithm")
    claims = await _signed_claims(context, jose.claims_of, token, kind, header)
    if claims is None:
        raise _refused("signature")
    for reason, holds in _checks(context, claims, nonce):
        if not holds:
            raise _refused(reason)
    return claims


async def _signed_claims(
    context: AppContext, claims_of: _ClaimsOf, token: str, kind: str, header: dict[str, Any]
) -> dict[str, Any] | None:
    for again in (False, True):  # the provider may have changed its keys
        for key in _candidates(await context.state(Provider).keys(context, again=again), kind, header):
            claims = await asyncio.to_thread(claims_of, token, key, str(header["alg"]))
            if claims is not None:
                return claims
    return None


def _candidates(keys: list[dict[str, Any]], kind: str, header: dict[str, Any]) -> list[dict[str, str]]:
    """Return the keys that may have signed: of the right type, for signatures, with the named id if there is one."""
    chosen = []
    for key in keys:
        public = {name: key[name] for name in _KEY_MEMBERS if isinstance(key.get(name), str)}
        same_id = "kid" not in header or key.get("kid") in (None, header["kid"])
        for_this = key.get("use") in (None, "sig") and key.get("alg") in (None, header["alg"])
        if public.get("kty") == kind and same_id and for_this and len(public.get("n", "")) <= _MODULUS_LENGTH_MAX:
            chosen.append(public)
    return chosen[:5]


def _checks(context: AppContext, claims: dict[str, Any], nonce: str) -> list[tuple[str, bool]]:
    settings = context.settings
    audience = claims.get("aud")
    audiences = [audience] if isinstance(audience, str) else audience if isinstance(audience, list) else []
    now = clock.actual().timestamp()
    issued, expires, subject = claims.get("iat"), claims.get("exp"), claims.get("sub")
    others = len(audiences) > 1
    return [
        ("issuer", claims.get("iss") == settings.oidc_issuer),
        ("audience", settings.oidc_client_id in audiences),
        ("authorized party", claims.get("azp", None if others else settings.oidc_client_id) == settings.oidc_client_id),
        ("expiry", _is_time(expires) and expires > now - SKEW_SECONDS),
        ("time of issue", _is_time(issued) and now - AGE_SECONDS_MAX < issued < now + SKEW_SECONDS),
        ("nonce", isinstance(claims.get("nonce"), str) and crypto.equal(claims["nonce"], nonce)),
        ("subject", isinstance(subject, str) and 0 < len(subject) <= 255),
    ]


def _is_time(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _refused(reason: str) -> SignInRefused:
    _logger.warning("oidc.token_refused", reason=reason)
    return SignInRefused(f"The OpenID provider's answer cannot be trusted: its {reason} is not valid.")
