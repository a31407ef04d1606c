"""The provider as its discovery document describes it, and the calls to it.

The operator chose the issuer, so its own host may be private. What its document names on other hosts is guarded like
any address from another party.
"""

import asyncio
import base64
from typing import Any, Final, TypeVar
from urllib.parse import quote_plus, urlencode, urlsplit

import msgspec
from msgspec import Struct

from signalpost.context import AppContext
from signalpost.kit import clock, log
from signalpost.kit.http import HttpFailure, Response, parse_url
from signalpost.oidc.errors import ProviderUnavailable, SignInRefused

SCOPE: Final = "openid email profile"
METADATA_SECONDS: Final = 3_600
RETRY_SECONDS: Final = 10
"""How soon the keys are read again for a token whose key is unknown, and the document after it could not be read."""
TIMEOUT_SECONDS: Final = 8.0
BYTES_MAX: Final = 200_000
KEYS_MAX: Final = 50
_UNREADABLE: Final = "The OpenID provider's answer cannot be read."
_logger = log.get("oidc")
T = TypeVar("T")


class Metadata(Struct, frozen=True):
    """What is used of the discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


class _Keys(Struct):
    keys: list[dict[str, Any]]


class Tokens(Struct, frozen=True):
    """The response to a code."""

    id_token: str
    access_token: str = ""

    def __repr__(self) -> str:
        return "Tokens(…)"


class Provider:
    """What this process knows of the provider: `context.state(Provider)`."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._metadata: Metadata | None = None
        self._keys: list[dict[str, Any]] = []
        self._metadata_at = self._failed_at = self._keys_at = float("-inf")

    async def metadata(self, context: AppContext) -> Metadata:
        """Return the discovery document, at most an hour old.

        Raises:
            ProviderUnavailable: it cannot be read, or is not that of the issuer.
        """
        async with self._lock:
            now = clock.monotonic()
            if self._metadata is None or now - self._metadata_at > METADATA_SECONDS:
                if now - self._failed_at < RETRY_SECONDS:
                    raise ProviderUnavailable("The OpenID provider could not be reached a few seconds ago.")
                self._failed_at = now  # until it succeeded
                self._metadata = await _discover(context)
                self._metadata_at, self._failed_at = now, float("-inf")
            return self._metadata

    async def keys(self, context: AppContext, *, again: bool = False) -> list[dict[str, Any]]:
        """Return the provider's public keys; `again`: read again, unless that was a few seconds ago.

        Raises:
            ProviderUnavailable: they cannot be read.
        """
        metadata = await self.metadata(context)
        async with self._lock:
            now = clock.monotonic()
            if now - self._keys_at > (RETRY_SECONDS if again else METADATA_SECONDS):
                body = await _get(context, metadata.jwks_uri)
                self._keys = _decode(_Keys, body).keys[:KEYS_MAX]
                self._keys_at = now
            return self._keys


def authorization_url(metadata: Metadata, parameters: dict[str, str]) -> str:
    """Return where the browser is sent."""
    separator = "&" if "?" in metadata.authorization_endpoint else "?"
    return f"{metadata.authorization_endpoint}{separator}{urlencode(parameters)}"


async def redeem(context: AppContext, metadata: Metadata, *, code: str, verifier: str, redirect_url: str) -> Tokens:
    """Exchange a code for tokens.

    Raises:
        SignInRefused: the provider does not take the code.
        ProviderUnavailable: it cannot be reached, or does not take our registration.
    """
    settings = context.settings
    form = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier, "redirect_uri": redirect_url}
    client_id, secret = settings.oidc_client_id or "", settings.oidc_client_secret
    headers = {"Accept": "application/json"}
    methods = metadata.token_endpoint_auth_methods_supported
    if secret is None or ("client_secret_basic" not in methods and "client_secret_post" in methods):
        form |= {"client_id": client_id} | ({"client_secret": secret} if secret else {})
    else:
        headers["Authorization"] = _basic(client_id, secret)
    response = await _call(context, "POST", metadata.token_endpoint, data=form, headers=headers)
    if response.status != 200:
        error = _error_of(response)
        _logger.warning("oidc.code_refused", status=response.status, error=error)
        if error == "invalid_grant":
            raise SignInRefused("The OpenID provider says that this sign-in is over, or that its code was used before.")
        raise ProviderUnavailable("The OpenID provider does not accept the registration of this service.")
    return _decode(Tokens, response.body)


async def userinfo(context: AppContext, metadata: Metadata, access_token: str) -> dict[str, Any]:
    """Return what the provider tells of the user, unsigned, for this access token; empty if it tells nothing.

    Raises:
        ProviderUnavailable: it cannot be reached.
    """
    if metadata.userinfo_endpoint is None or not access_token.isascii() or not access_token.isprintable():
        return {}
    response = await _call(
        context, "GET", metadata.userinfo_endpoint, headers={"Authorization": f"Bearer {access_token}"}
    )
    return _decode(dict[str, Any], response.body) if response.status == 200 else {}


async def _discover(context: AppContext) -> Metadata:
    issuer = context.settings.oidc_issuer or ""
    body = await _get(context, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    metadata = _decode(Metadata, body)
    if metadata.issuer != issuer:
        _logger.error("oidc.foreign_issuer", configured=issuer, found=metadata.issuer[:200])
        raise ProviderUnavailable("The discovery document is that of another issuer than SIGNALPOST_OIDC_ISSUER.")
    try:
        where = parse_url(metadata.authorization_endpoint)
    except HttpFailure:
        raise ProviderUnavailable(_UNREADABLE) from None
    if where.scheme != "https" and not _is_issuers(context, metadata.authorization_endpoint):
        raise ProviderUnavailable("The OpenID provider signs in without https.")
    return metadata


async def _get(context: AppContext, url: str) -> bytes:
    response = await _call(context, "GET", url, headers={"Accept": "application/json"})
    if response.status != 200:
        _logger.warning("oidc.unavailable", status=response.status)
        raise ProviderUnavailable(f"The OpenID provider answers with the status {response.status}.")
    return response.body


async def _call(context: AppContext, method: str, url: str, **options: Any) -> Response:
    trusted = _is_issuers(context, url)
    try:
        return await context.http.accounts.request(
            method, url, timeout_seconds=TIMEOUT_SECONDS, bytes_max=BYTES_MAX, trusted=trusted, **options
        )
    except HttpFailure as failure:
        _logger.warning("oidc.unavailable", error=failure.detail)
        raise ProviderUnavailable("The OpenID provider cannot be reached.") from None


def _is_issuers(context: AppContext, url: str) -> bool:
    """Whether the address is on the host, port and scheme that the operator chose."""
    chosen, named = urlsplit(context.settings.oidc_issuer or ""), urlsplit(url)
    return (chosen.scheme, chosen.netloc.lower()) == (named.scheme, named.netloc.lower())


def _basic(client_id: str, secret: str) -> str:
    """Return the header of RFC 6749, section 2.3.1: both parts are form-encoded first."""
    pair = f"{quote_plus(client_id)}:{quote_plus(secret)}".encode()
    return f"Basic {base64.b64encode(pair).decode()}"


def _error_of(response: Response) -> str:
    try:
        error = msgspec.json.decode(response.body, type=dict[str, Any]).get("error")
    except msgspec.MsgspecError:
        return ""
    return error[:100] if isinstance(error, str) else ""


def _decode(kind: type[T], body: bytes) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, RecursionError):
        raise ProviderUnavailable(_UNREADABLE) from None
