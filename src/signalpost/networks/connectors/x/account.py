"""Connecting by OAuth 2 with PKCE; checking, renewing and revoking."""

from collections.abc import Mapping
from typing import Any

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.x.calls import OAUTH, call, refresh
from signalpost.networks.connectors.x.facts import PREMIUM, PREMIUM_LIMITS
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string

__all__ = ["OAUTH", "check", "exchange", "refresh", "revoke"]

_FIELDS = {"user.fields": "username,name,profile_image_url,subscription_type,public_metrics"}
_ME = "/2/users/me"

revoke = oauth2.revoke_by(OAUTH)


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code within its 30 seconds, and read whose account its tokens open."""
    try:
        tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    except ApiError as error:
        if members(error.response).get("error") == "invalid_request":  # what X says where others say invalid_grant
            raise BadCredentials("X no longer accepts this code; start again.") from None
        raise
    headers = {"Authorization": f"Bearer {tokens.secrets['accessToken']}"}
    user = _user(await server.call("GET", _ME, headers=headers, params=_FIELDS))
    return Identity(
        remote_id=user["id"],
        username=user["username"],
        display_name=string(user.get("name")) or user["username"],
        secrets=tokens.secrets,
        avatar_url=string(user.get("profile_image_url")),
        profile_url=f"https://x.com/{user['username']}",
        scopes=tokens.scopes,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
        followers=_followers(user),
        facts=_facts(user),
    )


async def check(session: NetworkSession) -> Health:
    """Ask X whether the token still opens the account."""
    user = _user(await call(session, "GET", _ME, params=_FIELDS))
    return Health(
        followers=_followers(user),
        following=_count(user, "following_count"),
        posts=_count(user, "tweet_count"),
        username=user["username"],
        display_name=string(user.get("name")),
        avatar_url=string(user.get("profile_image_url")),
    )


def _user(response: Response) -> Mapping[str, Any]:
    user = members(response).get("data")
    if not isinstance(user, dict) or not string(user.get("id")) or not string(user.get("username")):
        raise BadResponse("the response names no account", status=response.status)
    return user


def _followers(user: Mapping[str, Any]) -> int | None:
    return _count(user, "followers_count")


def _count(user: Mapping[str, Any], name: str) -> int | None:
    metrics = user.get("public_metrics")
    return number(metrics.get(name)) if isinstance(metrics, dict) else None


def _facts(user: Mapping[str, Any]) -> dict[str, Any]:
    subscription = string(user.get("subscription_type")) or "None"
    return {"subscription": subscription} | ({"limits": PREMIUM_LIMITS} if subscription in PREMIUM else {})
