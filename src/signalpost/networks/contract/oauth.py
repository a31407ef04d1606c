"""The OAuth 2 authorization code flow of a network that has one.

It always uses PKCE (S256): a server that does not know the parameters ignores them.
"""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

from signalpost.kit import foreign
from signalpost.kit.http import BadResponse
from signalpost.networks.contract.outcomes import Identity
from signalpost.networks.contract.server import Server


class OAuthApp(Struct, frozen=True):
    """The app by which a network knows this service: the operator's, or one that `register` made. Stored sealed."""

    client_id: str
    client_secret: str
    issuer: str = ""
    """What the server calls itself in `iss` (RFC 9207); empty: its address."""
    sends_issuer: bool = False
    """Whether the server always sends `iss`."""

    def __post_init__(self) -> None:
        """Check what a server named.

        Raises:
            BadResponse: these are no credentials.
        """
        if not all(foreign.identifier(value, foreign.URL_MAX) for value in (self.client_id, self.client_secret)):
            raise BadResponse("the server names no credentials for the app that can be stored")


class Register(Protocol):
    """Registers an app at an account's own server.

    Raises:
        ApiError: the server refuses to register an app.
        kit.http.HttpFailure: it gave no usable response.
    """

    def __call__(self, server: Server, *, redirect_uri: str, app_name: str) -> Awaitable[OAuthApp]: ...


class AuthorizeUrl(Protocol):
    """Returns the address to send the user's browser to. `code_challenge` is the S256 hash of the verifier."""

    def __call__(self, server: Server, app: OAuthApp, *, redirect_uri: str, state: str, code_challenge: str) -> str: ...


class Exchange(Protocol):
    """Exchanges the code of the callback for tokens and returns the account that they open.

    Raises:
        BadCredentials: the code was used already, has expired, or belongs to another app.
        ApiError: any other error. `invalid_client` means that the server forgot the app, so it is registered again.
        kit.http.HttpFailure: the server gave no usable response.
    """

    def __call__(
        self, server: Server, app: OAuthApp, *, redirect_uri: str, code: str, code_verifier: str
    ) -> Awaitable[Identity]: ...


@dataclass(frozen=True, kw_only=True)
class OAuth:
    authorize_url: AuthorizeUrl
    exchange: Exchange
    register: Register | None = None
    """None: the operator registers the app and sets SIGNALPOST_<KEY>_CLIENT_ID and _CLIENT_SECRET."""
    own_server: bool = False
    """Whether every account brings its own server, which the caller names as `instanceUrl`."""
