"""Calls with an account's tokens, which are renewed when they expire; error responses become outcomes."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from signalpost.networks.connectors.bluesky import dpop, oauth
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
_RENEWABLE = frozenset({"ExpiredToken", "InvalidToken", "invalid_token"})
_RECONNECT = frozenset(
    (
        "ExpiredToken",
        "InvalidToken",
        "AuthenticationRequired",
        "AuthMissing",
        "AccountNotFound",
        "AuthFactorTokenRequired",
        "invalid_grant",
    )
)
_BLOCKED = frozenset(
    ("AccountTakedown", "AccountDeactivated", "AccountSuspended", "RepoTakendown", "RepoDeactivated", "RepoSuspended")
)
# About a call rather than the account: the nonce or clock of a proof, or what servers read of us as a client.
_OF_THE_CALL = frozenset(
    (
        "use_dpop_nonce",
        "invalid_dpop_proof",
        "invalid_client",
        "invalid_client_metadata",
        "unauthorized_client",
        "temporarily_unavailable",
    )
)
_NOTHING_CREATED = frozenset(("NotEnoughResources", "BlobNotFound", "InvalidSwap"))  # as documented
_MEDIA_CODES = {
    "InvalidMimeType": "media_unsupported",
    "InvalidSize": "media_too_large",
    "PayloadTooLarge": "media_too_large",
    "BlobTooLarge": "media_too_large",
    "VideoTooLarge": "media_too_large",
    "VideoTooLong": "media_unsupported",
}
_REQUESTS_PER_ADDRESS = "3000;w=300"  # the policy of the limit that all accounts share; writes are limited per account
_YEAR_2100 = 4_102_444_800


async def send(session: NetworkSession, method: str, name: str, *, token: str | None = None, **rest: Any) -> Response:
    headers = {**rest.pop("headers", {}), **({"Authorization": f"Bearer {token}"} if token else {})}
    return await session.server.call(method, f"/xrpc/{name}", headers=headers, **rest)


async def call(
    session: NetworkSession, method: str, name: str, *, media: OutgoingMedia | None = None, **rest: Any
) -> Response:
    """Call with the access token. One that the server no longer accepts is renewed once: the call had no effect.

    `InvalidToken` is what a server says whose secret was replaced; `refresh` then signs in with the app password.
    """
    ends_at = _access_ends_at(session.secrets)
    if ends_at is not None and ends_at - session.now() < timedelta(seconds=60):
        await session.renew(refresh)
    for last in (False, True):
        try:
            return await _authorized(session, method, name, media, rest)
        except ApiError as error:
            if last or members(error.response).get("error") not in _RENEWABLE:
                raise
        await session.renew(refresh)
    raise AssertionError("the loop returns or raises")


async def _authorized(
    session: NetworkSession, method: str, name: str, media: OutgoingMedia | None, rest: Mapping[str, Any]
) -> Response:
    held = session.secrets
    read = None if media is None else media.read
    if by_oauth(held):
        key, path = dpop.Key(held["seed"].encode()), f"/xrpc/{name}"
        return await dpop.send(
            session.server, key, method, path, now=session.now, token=held["accessToken"], read=read, **rest
        )
    body = {} if read is None else {"data": read()}
    return await send(session, method, name, token=held["accessJwt"], **body, **rest)


def by_oauth(secrets: Mapping[str, str]) -> bool:
    """Return whether an account was connected by authorization rather than with an app password."""
    return "seed" in secrets


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, with the message of the network."""
    response, body = error.response, members(error.response)
    name = str(body.get("error") or "")[:200]
    details: dict[str, Any] = {"http_status": response.status, "response": response_text(response)}
    message = redacted(f"Bluesky: {body.get('message') or body.get('error_description') or name or error}")[:1000]
    if response.status == 429 or name == "RateLimitExceeded":
        return TryLater(
            message=message, code="rate_limited", after_seconds=wait_seconds(response), platform_code=name,
            limit_of="app" if response.headers.get("RateLimit-Policy") == _REQUESTS_PER_ADDRESS else "account",
            **details,
        )  # fmt: skip
    if name in _OF_THE_CALL | _NOTHING_CREATED:
        return TryLater(message=message, platform_code=name, **details)
    if name in _BLOCKED | _RECONNECT or response.status == 401:
        return NeedsReconnect(message=message, restricted=name in _BLOCKED, platform_code=name, **details)
    if 400 <= response.status < 500:
        return _refused(name, message, details)
    if error.call.endswith(("createRecord", "applyWrites")):
        return OutcomeUnknown(message=message, **details)
    return TryLater(message=message, platform_code=name, after_seconds=wait_seconds(response), **details)


def _refused(name: str, message: str, details: Mapping[str, Any]) -> Refused:
    if details["http_status"] == 413 or name in _MEDIA_CODES:
        code = _MEDIA_CODES.get(name, "media_too_large")
        return Refused(code=code, message=message, platform_code=name, **details)
    if details["http_status"] == 403:
        advice = "Connect the account again, by authorization or with an app password that has full access."
        return Refused(
            code="permission_missing", message=message, platform_code=name,
            remediation=advice, **details,
        )  # fmt: skip
    return Refused(code="content_rejected", message=message, platform_code=name, **details)


async def refresh(session: NetworkSession) -> None:
    """Renew both tokens."""
    await (oauth.refresh if by_oauth(session.secrets) else _refresh_by_password)(session)


async def _refresh_by_password(session: NetworkSession) -> None:
    """Renew both tokens; if the session is gone, sign in again with the app password if it is stored."""
    password = session.secrets.get("appPassword")
    try:
        response = await send(session, "POST", "com.atproto.server.refreshSession", token=session.secrets["refreshJwt"])
    except ApiError as error:
        if password is None or members(error.response).get("error") not in _RENEWABLE:
            raise
        body = {"identifier": session.remote_id, "password": password}
        response = await send(session, "POST", "com.atproto.server.createSession", json=body)
    secrets = tokens(response, None) | ({"appPassword": password} if password else {})
    await session.save_tokens(secrets, expires_at(secrets["refreshJwt"]))
    session.secrets = secrets


def session_ends_at(secrets: Mapping[str, str]) -> datetime | None:
    """Return when the tokens end unless they are renewed."""
    return oauth.ends_at(secrets) if by_oauth(secrets) else expires_at(secrets["refreshJwt"])


def _access_ends_at(secrets: Mapping[str, str]) -> datetime | None:
    return datetime.fromisoformat(secrets["accessExpiresAt"]) if by_oauth(secrets) else expires_at(secrets["accessJwt"])


def tokens(response: Response, password: str | None) -> dict[str, str]:
    """Return the secrets to store: the tokens, and the password only if it is an app password."""
    access, renewal = texts(response, "accessJwt", "refreshJwt")
    secrets = {"accessJwt": access, "refreshJwt": renewal}
    if password and _claims(access).scope in APP_PASSWORD_SCOPES:
        secrets["appPassword"] = password
    return secrets


class _Claims(msgspec.Struct):
    exp: int | None = None
    scope: str | None = None


_claims_of = msgspec.json.Decoder(_Claims)


def _claims(token: str) -> _Claims:
    """Return the claims of a token. They are not verified: they only say when to renew it."""
    try:
        middle = token.split(".", 2)[1]
        return _claims_of.decode(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError, RecursionError):
        return _Claims()


def expires_at(token: str) -> datetime | None:
    """Return when a token expires, or None if it does not say."""
    expires = _claims(token).exp
    return datetime.fromtimestamp(expires, UTC) if expires is not None and 0 <= expires < _YEAR_2100 else None
