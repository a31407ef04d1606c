"""The OAuth 2 authorization code flow of a network that has one.

A network with an ordinary flow states `OAuthFacts`, and writes `exchange`: get the tokens by `networks.oauth2`, then
read whose account they open. PKCE (S256) is used wherever a network does not refuse it: others ignore the parameters.
"""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from signalpost.networks.contract.app import OAuthApp
from signalpost.networks.contract.outcomes import Identity
from signalpost.networks.contract.server import Server


@dataclass(frozen=True, kw_only=True)
class OAuthFacts:
    """What is particular about the flow of a network. `networks.oauth2` follows it."""

    authorize: str
    """Path of the page on which the person agrees."""
    redeem: str = ""
    """Path at which codes and refresh tokens are redeemed by a POST; empty: the connector calls something else."""
    revoke: str = ""
    """Path at which a token is revoked by a POST (RFC 7009); empty: there is none, or the connector calls it itself."""
    authorize_host: str = ""
    """Where `authorize` is, by its name in `Facts.hosts`; empty: at `base_url`."""
    redeem_host: str = ""
    """The same for `redeem` and `revoke`."""
    scopes: tuple[str, ...]
    """The permissions to ask for. What a person does not grant of them is reported as missing."""
    scope_separator: Literal[" ", ","] = " "
    """Joins them in the address; responses may use either."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """More query parameters of `authorize`: {"access_type": "offline"}."""
    pkce: bool = True
    """Whether the address has a `code_challenge`. False where a network refuses it, or wants another form of it."""
    client_id_name: str = "client_id"
    """What the network calls the parameter: TikTok says client_key."""
    client_auth: Literal["body", "basic"] = "body"
    """How the app proves at `redeem` and `revoke` who it is: id and secret in the form, or HTTP Basic."""
    renewal: Literal["none", "kept", "rotating", "fixed"] = "none"
    """What a refresh token does. `none`: there are none. `kept`: it stays, and its life begins again at each use.
    `rotating`: each works once and brings the next one. `fixed`: it brings access tokens until an end that stays."""
    access_seconds: int | None
    """How long an access token lives, where the response does not say; None: it does not expire."""
    refresh_seconds: int | None = None
    """How long a refresh token lives, where the response does not say; None: it does not expire."""


@dataclass(frozen=True, kw_only=True)
class AuthorizationCode:
    """What a person brought back from the network, with what belongs to it."""

    code: str
    redirect_uri: str
    code_verifier: str


class Register(Protocol):
    """Registers an app at an account's own server.

    Raises:
        ApiError: the server refuses to register an app.
        kit.http.HttpFailure: it gave no usable response.
    """

    def __call__(self, server: Server, *, redirect_uri: str, app_name: str) -> Awaitable[OAuthApp]: ...


class Exchange(Protocol):
    """Redeems the code of the callback and returns the account that its tokens open.

    Where `Connector.destinations` exists, that is the person who agreed, whether or not they can post as themselves:
    the account to post to is chosen afterwards.

    Raises:
        BadCredentials: the code was used already, has expired, or belongs to another app; or the person has no
            account that can be used. The message is shown to them.
        ApiError: any other error. `invalid_client` means that the server forgot the app, so it is registered again.
        kit.http.HttpFailure: the server gave no usable response.
    """

    def __call__(self, server: Server, app: OAuthApp, code: AuthorizationCode) -> Awaitable[Identity]: ...


@dataclass(frozen=True, kw_only=True)
class OAuth:
    facts: OAuthFacts
    exchange: Exchange
    register: Register | None = None
    """None: the operator registers the app and sets SIGNALPOST_<KEY>_CLIENT_ID and _CLIENT_SECRET."""
    own_server: bool = False
    """Whether every account brings its own server, which the caller names as `instanceUrl`."""
    alternatives: tuple[OAuthFacts, ...] = ()
    """Other flows to accounts of the same network. The operator chooses one by the permissions that the app may ask for
    (SIGNALPOST_<KEY>_SCOPES): the first flow that knows all of them."""

    def facts_for(self, app: OAuthApp) -> OAuthFacts:
        """Return the flow that an app is registered for."""
        flows = (self.facts, *self.alternatives)
        return next((flow for flow in flows if set(app.scopes) <= set(flow.scopes)), self.facts)
