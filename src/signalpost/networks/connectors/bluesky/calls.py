"""Calls to an account's server: with its tokens, renewed when they end, and errors turned into outcomes."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    OutgoingMedia,
    Refused,
    Response,
    TryLater,
)
from signalpost.networks.responses import members, redacted, response_text, texts, wait_seconds

APP_PASSWORD_SCOPES = frozenset({"com.atproto.appPass", "com.atproto.appPassPrivileged"})
_RECONNECT = frozenset(
    (
        "ExpiredToken",
        "InvalidToken",
        "AuthenticationRequired",
        "AuthMissing",
        "AccountNotFound",
        "AuthFactorTokenRequired",
    )
)
_BLOCKED = frozenset({"AccountTakedown", "AccountDeactivated", "AccountSuspended", "RepoTakendown", "RepoDeactivated"})
_MEDIA_CODES = {
    "InvalidMimeType": "media_unsupported",
    "InvalidSize": "media_too_large",
    "PayloadTooLarge": "media_too_large",
    "BlobTooLarge": "media_too_large",
    "VideoTooLarge": "media_too_large",
    "VideoTooLong": "media_unsupported",
}


async def send(session: NetworkSession, method: str, name: str, *, token: str | None = None, **rest: Any) -> Response:
    headers = {**rest.pop("headers", {}), **({"Authorization": f"Bearer {token}"} if token else {})}
    return await session.server.call(method, f"/xrpc/{name}", headers=headers, **rest)


async def call(
    session: NetworkSession, method: str, name: str, *, media: OutgoingMedia | None = None, **rest: Any
) -> Response:
    """Call with the access token; an expired one is renewed once, which is safe since the call was refused for it."""
    ends_at = expires_at(session.secrets["accessJwt"])
    if ends_at is not None and ends_at - session.now() < timedelta(seconds=60):
        await session.renew(refresh)
    for last in (False, True):
        if media is not None:
            rest["data"] = media.read()
        try:
            return await send(session, method, name, token=session.secrets["accessJwt"], **rest)
        except ApiError as error:
            if last or members(error.response).get("error") != "ExpiredToken":
                raise
        await session.renew(refresh)
    raise AssertionError("the loop returns or raises")


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome; the network's own words are kept."""
    response, told = error.response, members(error.response)
    name = str(told.get("error") or "")
    about: dict[str, Any] = {"http_status": response.status, "response": response_text(response)}
    message = redacted(f"Bluesky: {told.get('message') or name or error}")[:1000]
    if response.status == 429 or name == "RateLimitExceeded":
        return TryLater(
            message=message, code="rate_limited", after_seconds=wait_seconds(response), platform_code=name, **about
        )
    if name in _BLOCKED | _RECONNECT or response.status == 401:
        return NeedsReconnect(message=message, restricted=name in _BLOCKED, platform_code=name, **about)
    if name in {"NotEnoughResources", "BlobNotFound", "InvalidSwap"}:  # declared: nothing was created
        return TryLater(message=message, platform_code=name, **about)
    if 400 <= response.status < 500:
        return _refused(name, message, about)
    if error.call.endswith(("createRecord", "applyWrites")):
        return OutcomeUnknown(message=message, **about)
    return TryLater(message=message, platform_code=name, after_seconds=wait_seconds(response), **about)


def _refused(name: str, message: str, about: Mapping[str, Any]) -> Refused:
    if about["http_status"] == 413 or name in _MEDIA_CODES:
        code = _MEDIA_CODES.get(name, "media_too_large")
        return Refused(code=code, message=message, platform_code=name, **about)
    if about["http_status"] == 403:
        advice = "Connect the account again with an app password of full rights."
        return Refused(
            code="permission_missing", message=message, platform_code=name,
            remediation=advice, **about,
        )  # fmt: skip
    return Refused(code="content_rejected", message=message, platform_code=name, **about)


async def refresh(session: NetworkSession) -> None:
    """Renew both tokens; when the grant is dead, sign in again with the app password if it was kept."""
    password = session.secrets.get("appPassword")
    try:
        response = await send(session, "POST", "com.atproto.server.refreshSession", token=session.secrets["refreshJwt"])
    except ApiError as error:
        if password is None or members(error.response).get("error") not in {"ExpiredToken", "InvalidToken"}:
            raise
        body = {"identifier": session.remote_id, "password": password}
        response = await send(session, "POST", "com.atproto.server.createSession", json=body)
    renewed = tokens(response, None) | ({"appPassword": password} if password else {})
    await session.save_tokens(renewed, expires_at(renewed["refreshJwt"]))
    session.secrets = renewed


def tokens(response: Response, password: str | None) -> dict[str, str]:
    """Return what is kept of a session: tokens, and the password only if it is an app password."""
    access, renewal = texts(response, "accessJwt", "refreshJwt")
    kept = {"accessJwt": access, "refreshJwt": renewal}
    if password and _claims(access).get("scope") in APP_PASSWORD_SCOPES:
        kept["appPassword"] = password
    return kept


def _claims(token: str) -> Mapping[str, Any]:
    """Return what a token says of itself. Unverified: it is only read to know when to renew it."""
    try:
        middle = token.split(".")[1]
        claims = msgspec.json.decode(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError, msgspec.DecodeError):
        return {}
    return claims if isinstance(claims, dict) else {}


def expires_at(token: str) -> datetime | None:
    expires = _claims(token).get("exp")
    return datetime.fromtimestamp(expires, UTC) if isinstance(expires, int) else None
