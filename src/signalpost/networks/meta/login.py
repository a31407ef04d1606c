"""Facebook Login: from a code to a token of 60 days, and the permissions that a token has."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Server,
)
from signalpost.networks.meta.errors import read_error
from signalpost.networks.meta.graph import GRAPH_VERSION, Graph
from signalpost.networks.responses import members, string, texts

TOKEN_SECONDS: Final = 20.0
LOGIN: Final[dict[str, Any]] = {
    "authorize": f"/{GRAPH_VERSION}/dialog/oauth",
    "authorize_host": "web",
    "scope_separator": ",",
    "parameters": {"auth_type": "rerequest"},  # asks again for what was declined before
    "access_seconds": 5_184_000,
}
"""Members of `OAuthFacts`, for networks that people sign in to with Facebook."""
_CODE: Final = 100
_SPENT: Final = frozenset({36007, 36008, 36009})  # subcodes of 100: another redirect address, expired, used


class User(Struct, frozen=True):
    """The person who agreed, with a token of 60 days."""

    id: str
    name: str
    token: str
    scopes: tuple[str, ...]


async def user_of_code(server: Server, app: OAuthApp, code: AuthorizationCode, *, graph_host: str = "") -> User:
    """Exchange the code of the callback for a token of hours, and that for one of 60 days; read whose it is.

    Raises:
        BadCredentials: the code was used already, has expired, or belongs to another app.
        ApiError, kit.http.HttpFailure: as `Exchange`.
    """
    server = server.at(graph_host)
    query = {"redirect_uri": code.redirect_uri, "code": code.code, "code_verifier": code.code_verifier}
    try:
        short = await _token(server, app, query)
    except ApiError as error:
        meta = read_error(error.response)
        if meta is not None and meta.code == _CODE and (meta.subcode in _SPENT or "code" in meta.message.lower()):
            raise BadCredentials("Facebook no longer accepts this code; start again.") from None
        raise
    token = await _token(server, app, {"grant_type": "fb_exchange_token", "fb_exchange_token": short})
    graph = Graph(server, token, app)
    me = await graph.get("me", fields="id,name")
    user_id = string(me.get("id"))
    if user_id is None:
        raise BadResponse("the response names no person")
    granted = tuple(
        [
            scope
            async for item in graph.items("me/permissions")
            if item.get("status") == "granted" and (scope := string(item.get("permission")))
        ]
    )
    return User(user_id, string(me.get("name")) or user_id, token, granted)


async def _token(server: Server, app: OAuthApp, query: Mapping[str, str]) -> str:
    params = {"client_id": app.client_id, "client_secret": app.client_secret, **query}
    path = f"/{GRAPH_VERSION}/oauth/access_token"
    (token,) = texts(await server.call("GET", path, params=params, timeout_seconds=TOKEN_SECONDS), "access_token")
    return token


async def permissions(session: NetworkSession, token: str, *, graph_host: str = "") -> tuple[str, ...]:
    """Return what a token is allowed; empty where the app is not configured or the network does not say."""
    app = session.app
    if app is None:
        return ()
    graph = Graph(session.server.at(graph_host), f"{app.client_id}|{app.client_secret}")
    try:
        data = (await graph.get("debug_token", input_token=token)).get("data")
    except (ApiError, HttpFailure):
        return ()  # that the token works was seen before
    scopes = data.get("scopes") if isinstance(data, dict) else None
    return tuple(filter(None, map(string, scopes[:100]))) if isinstance(scopes, list) else ()


def missing_scopes(session: NetworkSession, granted: tuple[str, ...], facts: OAuthFacts) -> tuple[str, ...]:
    """Return which permissions that were requested are missing, if it is known what was granted; none for pushing."""
    requested = (session.app.scopes if session.app else ()) or facts.scopes
    return tuple(scope for scope in requested if scope not in (*granted, *facts.push_scopes)) if granted else ()


async def revoke(session: NetworkSession, *, graph_host: str = "") -> None:
    """Take all permissions of the person back from the app.

    Raises:
        ApiError: they are still there.
    """
    graph = Graph(session.server.at(graph_host), session.secrets["accessToken"], session.app)
    response = await graph.server.call(
        "DELETE", f"/{GRAPH_VERSION}/me/permissions", params=graph.credentials, timeout_seconds=TOKEN_SECONDS
    )
    if members(response).get("success") is False:
        raise ApiError(response, "DELETE me/permissions")
