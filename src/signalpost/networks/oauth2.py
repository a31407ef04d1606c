"""The ordinary OAuth 2 flow, as a network's `OAuthFacts` describe it: for connectors, none of which has to repeat it.

The secrets of an account that was connected so are `accessToken`, `accessExpiresAt` and, if the network gave one,
`refreshToken` and `refreshExpiresAt` (instants in ISO 8601).
"""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct

from signalpost.kit import clock
from signalpost.kit.http import NotSent
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string, texts

MARGIN = timedelta(minutes=5)
"""A token that ends within this time is renewed before it is used."""
TOKEN_SECONDS = 20.0


class Tokens(Struct, frozen=True, kw_only=True):
    """What a network gave for a code or a refresh token; the first three are for `Identity`."""

    secrets: Mapping[str, str]
    token_expires_at: datetime | None
    refreshable: bool
    scopes: tuple[str, ...]
    """What was granted; if the response does not say, what was asked for."""
    body: Mapping[str, Any]
    """The whole response: some networks name the account in it."""


def authorize_url(
    facts: OAuthFacts, server: Server, app: OAuthApp, *, redirect_uri: str, state: str, code_challenge: str
) -> str:
    """Return the address to send the person's browser to. `code_challenge` is the S256 hash of the verifier."""
    query = {
        "response_type": "code",
        facts.client_id_name: app.client_id,
        "redirect_uri": redirect_uri,
        "scope": facts.scope_separator.join(app.scopes or facts.scopes),
        "state": state,
    }
    if facts.pkce:
        query |= {"code_challenge": code_challenge, "code_challenge_method": "S256"}
    return f"{server.at(facts.authorize_host).base_url}{facts.authorize}?{urlencode({**query, **facts.parameters})}"


async def redeem_code(facts: OAuthFacts, server: Server, app: OAuthApp, code: AuthorizationCode) -> Tokens:
    """Exchange the code of the callback for tokens.

    Raises:
        BadCredentials: the code was used already, has expired, or belongs to another app.
        ApiError, kit.http.HttpFailure: as `Exchange`.
    """
    form = {"grant_type": "authorization_code", "code": code.code, "redirect_uri": code.redirect_uri}
    if facts.pkce:
        form["code_verifier"] = code.code_verifier
    try:
        response = await post_form(facts, server, app, facts.redeem, form)
    except ApiError as error:
        if members(error.response).get("error") == "invalid_grant":
            raise BadCredentials("The platform no longer accepts this code; start again.") from None
        raise
    return tokens(facts, response, now=clock.now(), requested=app.scopes or facts.scopes)


def refresh_by(facts: OAuthFacts) -> Callable[[NetworkSession], Awaitable[None]]:
    """Return the `Connector.refresh` of a network whose refresh tokens are redeemed in the ordinary way."""

    async def refresh(session: NetworkSession) -> None:
        held = session.secrets
        form = {"grant_type": "refresh_token", "refresh_token": held.get("refreshToken", "")}
        response = await post_form(facts, session.server, app_of(session), facts.redeem, form)
        renewed = tokens(facts, response, now=session.now(), held=held)
        await session.save_tokens(renewed.secrets, renewed.token_expires_at)

    return refresh


def revoke_by(facts: OAuthFacts) -> Callable[[NetworkSession], Awaitable[None]]:
    """Return the `Connector.revoke` of a network that revokes a grant by its refresh or access token (RFC 7009)."""

    async def revoke(session: NetworkSession) -> None:
        token = session.secrets.get("refreshToken") or session.secrets["accessToken"]
        await post_form(facts, session.server, app_of(session), facts.revoke, {"token": token})

    return revoke


async def call_with_token(
    session: NetworkSession,
    refresh: Callable[[NetworkSession], Awaitable[None]] | None,
    send: Callable[[str], Awaitable[Response]],
    *,
    is_expired: Callable[[ApiError], bool] = lambda error: error.response.status == 401,
) -> Response:
    """Call the network with a token that is still good; if it says that it is not, renew it and call once more.

    Args:
        session: of the account.
        refresh: the connector's; None: its tokens cannot be renewed.
        send: makes the call with the token it gets; it may run twice, the first time without effect at the network.
        is_expired: whether an error means that the token has expired.
    """
    if refresh is None:
        return await send(session.secrets["accessToken"])
    if is_due(session):
        await session.renew(refresh)
        return await send(session.secrets["accessToken"])
    try:
        return await send(session.secrets["accessToken"])
    except ApiError as error:
        if not is_expired(error):
            raise
    await session.renew(refresh)
    return await send(session.secrets["accessToken"])


def is_due(session: NetworkSession) -> bool:
    """Return whether the access token ends within moments."""
    expires_at = session.secrets.get("accessExpiresAt")
    return bool(expires_at and datetime.fromisoformat(expires_at) <= session.now() + MARGIN)


def app_of(session: NetworkSession) -> OAuthApp:
    """Return the operator's app.

    Raises:
        NotSent: it is no longer configured, so nothing can be renewed until it is.
    """
    if session.app is None:
        raise NotSent("the operator's app is not configured", stage="pool")
    return session.app


def refuses_app(error: ApiError) -> bool:
    """Return whether the network does not accept the operator's app (RFC 6749, section 5.2), whosever token it is."""
    return string(members(error.response).get("error")) in {"invalid_client", "unauthorized_client"}


async def post_form(facts: OAuthFacts, server: Server, app: OAuthApp, path: str, form: Mapping[str, str]) -> Response:
    """Post a form as the app.

    Raises:
        ApiError: the status is not 200, or it is and the body names an error, as some networks do.
    """
    headers = {"Accept": "application/json"}
    if facts.client_auth == "basic":
        pair = f"{quote(app.client_id, safe='')}:{quote(app.client_secret, safe='')}"  # RFC 6749, section 2.3.1
        headers["Authorization"] = (
            f"Basic {base64.b64encode(pair.encode()).decode()}"  # names the client: no field does
        )
    else:
        form = {**form, facts.client_id_name: app.client_id, "client_secret": app.client_secret}
    host = server.at(facts.redeem_host)
    response = await host.call("POST", path, data=form, headers=headers, timeout_seconds=TOKEN_SECONDS)
    if isinstance(members(response).get("error"), str):
        raise ApiError(response, f"POST {path}")
    return response


def tokens(
    facts: OAuthFacts,
    response: Response,
    *,
    now: datetime,
    requested: tuple[str, ...] = (),
    held: Mapping[str, str] | None = None,
) -> Tokens:
    """Read a token response. `held`: the secrets that are being renewed.

    Raises:
        BadResponse: it has no access token.
    """
    body, held = members(response), held or {}
    (access_token,) = texts(response, "access_token")
    access_seconds = number(body.get("expires_in")) or facts.access_seconds
    access_end = None if access_seconds is None else now + timedelta(seconds=access_seconds)
    secrets = {"accessToken": access_token, "accessExpiresAt": clock.wire_or_none(access_end) or ""}
    if refresh_token := string(body.get("refresh_token")):
        secrets["refreshToken"] = refresh_token
    ends_at = access_end
    has_refresh_token = facts.renewal != "none" and bool(refresh_token or held.get("refreshToken"))
    if has_refresh_token:
        ends_at = _end_of_grant(facts, body, now, held)
        secrets["refreshExpiresAt"] = "" if ends_at is None else clock.wire(ends_at)
    scopes = re.split(r"[ ,]+", string(body.get("scope")) or "")
    return Tokens(
        secrets=secrets,
        token_expires_at=ends_at,
        refreshable=has_refresh_token and facts.renewal != "fixed",
        scopes=tuple([scope for scope in scopes if scope]) or requested,
        body=body,
    )


def _end_of_grant(
    facts: OAuthFacts, body: Mapping[str, Any], now: datetime, held: Mapping[str, str]
) -> datetime | None:
    """Return when the refresh token ends; None: it does not."""
    seconds = number(body.get("refresh_token_expires_in")) or number(body.get("refresh_expires_in"))
    if seconds is None and facts.renewal == "fixed" and held.get("refreshExpiresAt"):
        return datetime.fromisoformat(held["refreshExpiresAt"])
    seconds = seconds or facts.refresh_seconds
    return None if seconds is None else now + timedelta(seconds=seconds)
