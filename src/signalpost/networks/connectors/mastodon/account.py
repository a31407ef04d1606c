"""Connecting by a token or by OAuth, with an app that is registered on the spot; checking and revoking."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from signalpost.kit.http import BadResponse, UnsafeUrl
from signalpost.networks import oauth2
from signalpost.networks.connectors.mastodon.calls import call, error_text
from signalpost.networks.connectors.mastodon.instance import CONNECT_SECONDS, read_instance
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Response,
    Server,
)
from signalpost.networks.instances import base_url_of
from signalpost.networks.responses import members, number, string, texts

_SUSPENDED = "The server reports this account as suspended."
OAUTH_FACTS = OAuthFacts(
    authorize="/oauth/authorize",
    redeem="/oauth/token",
    scopes=("read:accounts", "read:statuses", "write:statuses", "write:media"),
    parameters={"force_login": "true"},  # the server asks again, even if the user agreed to this app before
    access_seconds=None,
)


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Open the account of an access token that its owner created in the settings of the server."""
    base_url = base_url_of(fields.get("instanceUrl", "") or server.base_url, example="mastodon.social")
    server = replace(server, base_url=base_url, trusted=server.trusted and base_url == server.base_url)
    return await _identity(server, {"accessToken": fields.get("accessToken", "").strip()})


async def register(server: Server, *, redirect_uri: str, app_name: str) -> OAuthApp:
    """Register an app at a server, and read what the server calls itself."""
    form = {"client_name": app_name, "redirect_uris": redirect_uri, "scopes": " ".join(OAUTH_FACTS.scopes)}
    response = await server.call("POST", "/api/v1/apps", data=form, timeout_seconds=CONNECT_SECONDS)
    client_id, client_secret = texts(response, "client_id", "client_secret")
    metadata = await server.call(
        "GET", "/.well-known/oauth-authorization-server", timeout_seconds=CONNECT_SECONDS, expect=None
    )
    facts = members(metadata) if metadata.status == 200 else {}
    issuer = string(facts.get("issuer")) or ""
    if issuer.rstrip("/") != server.base_url:  # a server speaks only for itself (RFC 8414, section 3.3)
        issuer = ""
    sends_issuer = facts.get("authorization_response_iss_parameter_supported") is True
    return OAuthApp(client_id=client_id, client_secret=client_secret, issuer=issuer, sends_issuer=sends_issuer)


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Exchange the code of the callback for a token, and read the account that it opens."""
    granted = await oauth2.redeem_code(OAUTH_FACTS, server, app, code)
    secrets = {
        "accessToken": granted.secrets["accessToken"],
        "clientId": app.client_id,
        "clientSecret": app.client_secret,
    }
    return await _identity(server, secrets, scopes=granted.scopes)


async def _identity(server: Server, secrets: Mapping[str, str], *, scopes: tuple[str, ...] = ()) -> Identity:
    headers = {"Authorization": f"Bearer {secrets['accessToken']}"}
    account = await _account(server, headers)
    try:
        remote_id, username = texts(account, "id", "username")
    except BadResponse:
        raise InvalidField("instanceUrl", "There is no Mastodon server at this address.") from None
    profile, host = members(account), urlsplit(server.base_url).netloc
    if profile.get("suspended") is True:
        raise BadCredentials(_SUSPENDED)
    facts, domain = await read_instance(server, headers)
    return Identity(
        remote_id=f"{remote_id}@{host}",
        username=f"{username}@{domain if domain and _may_call_itself(server, domain) else host}",
        display_name=string(profile.get("display_name")) or username,
        secrets=secrets,
        base_url=server.base_url,
        avatar_url=string(profile.get("avatar")),
        profile_url=string(profile.get("url")),
        scopes=scopes,
        followers=number(profile.get("followers_count")),
        facts=facts,
    )


def _may_call_itself(server: Server, domain: str) -> bool:
    """Return whether a server may show this domain in names: its own or one above it; the operator's any."""
    return server.trusted or f".{urlsplit(server.base_url).hostname}".endswith(f".{domain}")


async def _account(server: Server, headers: Mapping[str, str]) -> Response:
    try:
        return await server.call(
            "GET", "/api/v1/accounts/verify_credentials", headers=headers, timeout_seconds=CONNECT_SECONDS
        )
    except UnsafeUrl as failure:
        raise InvalidField("instanceUrl", failure.detail) from None
    except ApiError as error:
        status = error.response.status
        if status in {401, 403} and members(error.response):
            message = f"The server rejected this access token: {error_text(error.response)}"
            raise BadCredentials(message) from None
        if status in {401, 403, 429} or status >= 500:
            raise
        raise InvalidField("instanceUrl", "There is no Mastodon server at this address.") from None


async def check(session: NetworkSession) -> Health:
    """Ask the server whether the token still opens the account."""
    profile = members(await call(session, "GET", "/api/v1/accounts/verify_credentials"))
    suspended = profile.get("suspended") is True
    return Health(
        can_post=not suspended,
        restricted=suspended,
        message=_SUSPENDED if suspended else None,
        followers=number(profile.get("followers_count")),
        following=number(profile.get("following_count")),
        posts=number(profile.get("statuses_count")),
        display_name=string(profile.get("display_name")),
        avatar_url=string(profile.get("avatar")),
    )


async def revoke(session: NetworkSession) -> None:
    """Revoke the token. Servers refuse that for a token created by hand: its owner has to delete it there.

    Raises:
        ApiError: the token still works.
    """
    form = {
        "client_id": session.secrets.get("clientId", ""),
        "client_secret": session.secrets.get("clientSecret", ""),
        "token": session.secrets["accessToken"],
    }
    await session.server.call("POST", "/oauth/revoke", data=form)
