"""The OAuth 2 authorization code flow of a network that has one.

A network with an ordinary flow states `OAuthFacts`, and writes `exchange`: get the tokens by `networks.oauth2`, then
read whose account they open. PKCE (S256) is used wherever a network does not refuse it: others ignore the parameters.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

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
    push_scopes: tuple[str, ...] = ()
    """More permissions, asked for where the operator has comments pushed (SIGNALPOST_<KEY>_VERIFY_TOKEN)."""
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
    notes: Mapping[str, str] = field(default_factory=dict)
    """`PushedRequest.notes`."""


@dataclass(frozen=True, kw_only=True)
class Installation:
    """This service, as a network may know it that reads who its clients are from an address of theirs."""

    base_url: str
    metadata_url: str
    """Where `PushedFlow.describe` is published."""
    redirect_uri: str
    public: bool
    """Whether networks can reach the address."""
    name: str
    keys: tuple[bytes, ...]
    """32 secret bytes each, the current ones first, then those of replaced master keys."""


@dataclass(frozen=True, kw_only=True)
class AuthorizationRequest:
    """What is asked for when the person agrees on the start page."""

    redirect_uri: str
    state: str
    code_challenge: str
    login_hint: str
    """The account that is meant, as the caller named it; empty if nobody did."""
    seed: str
    """Secret random text of this flow alone, from which a key can be made; the same at each click."""


@dataclass(frozen=True, kw_only=True)
class PushedRequest:
    """A request that the network has accepted."""

    authorize_url: str
    issuer: str
    """What the network calls itself in `iss`, which it always sends."""
    notes: Mapping[str, str]
    """What `Exchange` needs later. Stored sealed."""


class Push(Protocol):
    """Registers a request at the network and returns where to send the person (RFC 9126).

    Raises:
        BadCredentials, InvalidField, IdentityUnknown: the account that was named cannot be used, or not now.
        ApiError, kit.http.HttpFailure: the server refuses, or gave no usable response.
    """

    def __call__(self, server: Server, app: OAuthApp, request: AuthorizationRequest) -> Awaitable[PushedRequest]: ...


@dataclass(frozen=True, kw_only=True)
class PushedFlow:
    """A flow whose request we bring to the network before the person goes there, as a client that describes itself.

    A caller may name the server to begin at as `instanceUrl`, but need not.
    """

    client: Callable[[Installation], OAuthApp | None]
    """Return the client that this installation is; None where its address does not permit one."""
    describe: Callable[[Installation], Mapping[str, Any]]
    """Return the metadata of the client, which is public."""
    push: Push


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
    pushed: PushedFlow | None = None
    """None: the address at the network is enough, `oauth2.authorize_url`."""
    alternatives: tuple[OAuthFacts, ...] = ()
    """Other flows to accounts of the same network. The operator chooses one by the permissions that the app may ask for
    (SIGNALPOST_<KEY>_SCOPES): the first flow that knows all of them."""

    def facts_for(self, app: OAuthApp) -> OAuthFacts:
        """Return the flow that an app is registered for."""
        flows = (self.facts, *self.alternatives)
        return next((flow for flow in flows if set(app.scopes) <= {*flow.scopes, *flow.push_scopes}), self.facts)
