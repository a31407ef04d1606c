"""Tokens of Instagram and Threads: a code becomes a token of an hour, and that one of 60 days, which can be renewed.

Source: developers.facebook.com, "Access tokens" of Instagram Login and of Threads, read 2026-11-22.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from signalpost.kit import clock
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string, texts

LIFE_SECONDS: Final = 5_184_000
TOKEN_SECONDS: Final = 20.0


class LongLived(Struct, frozen=True):
    """A token of 60 days. `scopes`: what was granted, if the network says so."""

    token: str
    expires_at: datetime
    scopes: tuple[str, ...] = ()


class TokenCalls(Struct, frozen=True, kw_only=True):
    """What the two networks call their grants: `ig` or `th`. `code_host`: where codes are exchanged."""

    name: str
    prefix: str
    code_host: str = ""

    async def exchange(self, server: Server, app: OAuthApp, code: AuthorizationCode) -> LongLived:
        """Exchange the code of the callback for a token of 60 days.

        Raises:
            BadCredentials: the code was used already, has expired, or belongs to another app.
            ApiError, kit.http.HttpFailure: as `Exchange`.
        """
        form = {
            "client_id": app.client_id,
            "client_secret": app.client_secret,
            "grant_type": "authorization_code",
            "redirect_uri": code.redirect_uri,
            "code": code.code.removesuffix("#_"),
        }
        host = server.at(self.code_host)
        try:
            response = await host.call("POST", "/oauth/access_token", data=form, timeout_seconds=TOKEN_SECONDS)
        except ApiError as error:
            if error.response.status == 400 and "code" in error.response.body[:2_000].decode("utf-8", "replace"):
                raise BadCredentials(f"{self.name} no longer accepts this code; start again.") from None
            raise
        body = _unwrapped(response)
        short = string(body.get("access_token"))
        if short is None:
            raise ApiError(response, "POST /oauth/access_token")
        query = {"client_secret": app.client_secret, "access_token": short}
        long_lived = await self._call(server, f"{self.prefix}_exchange_token", "/access_token", query)
        return LongLived(long_lived.token, long_lived.expires_at, _scopes(body.get("permissions")))

    async def refresh(self, session: NetworkSession) -> None:
        """Renew the token. That works from a day after it was given until it ends."""
        query = {"access_token": session.secrets["accessToken"]}
        renewed = await self._call(session.server, f"{self.prefix}_refresh_token", "/refresh_access_token", query)
        await session.save_tokens({"accessToken": renewed.token}, renewed.expires_at)

    async def _call(self, server: Server, grant_type: str, path: str, query: Mapping[str, str]) -> LongLived:
        params = {"grant_type": grant_type, **query}
        response = await server.call("GET", path, params=params, timeout_seconds=TOKEN_SECONDS)
        (token,) = texts(response, "access_token")
        seconds = number(members(response).get("expires_in")) or LIFE_SECONDS
        return LongLived(token, clock.now() + timedelta(seconds=seconds))


def _unwrapped(response: Response) -> Mapping[str, Any]:
    """Return the token response; Instagram sometimes puts it into a list."""
    body = members(response)
    data = body.get("data")
    return data[0] if isinstance(data, list) and data and isinstance(data[0], dict) else body


def _scopes(permissions: Any) -> tuple[str, ...]:
    """Return permissions that are a list or joined by commas."""
    if isinstance(permissions, str):
        return tuple([scope for scope in permissions.split(",")[:50] if scope])
    return tuple(filter(None, map(string, permissions[:50]))) if isinstance(permissions, list) else ()
