"""Calls with an account's token, and what the errors of X mean."""

from collections.abc import Mapping
from typing import Any

from signalpost.networks import oauth2
from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    NetworkSession,
    OAuthFacts,
    Outcome,
    OutcomeUnknown,
    Refused,
    Response,
    TryLater,
)
from signalpost.networks.responses import members, redacted, response_text, wait_seconds

CREATE = "POST /2/tweets"
OAUTH = OAuthFacts(
    authorize="/i/oauth2/authorize",
    authorize_host="www",
    redeem="/2/oauth2/token",
    revoke="/2/oauth2/revoke",
    scopes=("tweet.read", "tweet.write", "users.read", "media.write", "offline.access"),
    client_auth="basic",
    renewal="rotating",
    access_seconds=7_200,
    refresh_seconds=15_552_000,
)
_TOKEN_CALL = f"POST {OAUTH.redeem}"
_UNINVITED = "Reply to posts of this account, or to one whose author mentions this account in it or quotes its posts."
_RECONNECT = "Connect the account again and allow the service to read and write posts and media."
_FORBIDDEN = (
    ("duplicate", "duplicate_content", None),
    ("mentioned or otherwise engaged", "content_rejected", _UNINVITED),
    ("deleted or not visible", "destination_missing", None),
    ("video longer", "media_unsupported", None),
)
"""Words of a refusal, what they mean, and what to do."""

refresh = oauth2.refresh_by(OAUTH)


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call X with the account's token; it is renewed when it ends."""

    async def send(token: str) -> Response:
        return await session.server.call(method, path, headers={"Authorization": f"Bearer {token}"}, **rest)

    return await oauth2.call_with_token(session, refresh, send)


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome; a body that is not X's, of a proxy or firewall, says nothing certain."""
    response, status, body = error.response, error.response.status, members(error.response)
    message = f"X: {_error_text(body) or f'status {status}'}"
    details: dict[str, Any] = {"http_status": status, "response": response_text(response)}
    if error.call == _TOKEN_CALL and 400 <= status < 500 and status != 429:
        return _of_grant(str(body.get("error")), message, details)
    if status in {402, 429}:
        return _limited(response, _kind(body), message, details)
    if 400 <= status < 500 and body:
        if status == 401 or _kind(body) == "user-suspended":
            return NeedsReconnect(message=message, restricted=status != 401, **details)
        return _refused(error, body, message, details)
    if error.call == CREATE:
        return OutcomeUnknown(message=message, **details)
    return TryLater(message=message, after_seconds=wait_seconds(response), **details)


def _kind(body: Mapping[str, Any]) -> str:
    """Return the last segment of a problem's type: `resource-not-found`."""
    return str(body.get("type") or "").rpartition("/")[2]


def _limited(response: Response, kind: str, message: str, details: dict[str, Any]) -> TryLater:
    if response.status == 402:
        message = f"{message} (the operator has to buy credits at X)"
        return TryLater(message=message, code="billing_required", after_seconds=3_600, limit_of="app", **details)
    after = wait_seconds(response)
    if kind == "usage-capped":
        return TryLater(message=message, code="platform_quota", after_seconds=after, limit_of="app", **details)
    return TryLater(message=message, code="rate_limited", after_seconds=after, **details)


def _of_grant(error: str, message: str, details: dict[str, Any]) -> Outcome:
    """Return what a refused refresh means: the grant is dead, unless X does not accept the operator's app."""
    if error in {"unauthorized_client", "invalid_client"}:
        message = f"{message} (X does not accept the client id and secret of the operator's app)"
        return TryLater(message=message, limit_of="app", **details)
    return NeedsReconnect(message=message, **details)


def _error_text(body: Mapping[str, Any]) -> str:
    """Return the message of a problem, of a validation error or of a legacy error."""
    errors = body.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    text = first.get("message") or body.get("detail") or body.get("error_description") or body.get("title")
    return redacted(str(text or ""))[:1000]


def _refused(error: ApiError, body: Mapping[str, Any], message: str, details: dict[str, Any]) -> Refused:
    status, text = error.response.status, _error_text(body).lower()
    if status == 403:
        return _forbidden(text, _kind(body), message, details)
    code = "content_rejected"
    if "/media" in error.call:
        code = "media_too_large" if status == 413 or "exceeds" in text else "media_unsupported"
    elif status == 404:
        code = "destination_missing"
    elif "media id" in text:
        code = "media_missing"
    elif "too long" in text:
        code = "text_too_long"
    return Refused(code=code, message=message, **details)


def _forbidden(text: str, kind: str, message: str, details: dict[str, Any]) -> Refused:
    for words, code, advice in _FORBIDDEN:
        if words in text:
            return Refused(code=code, message=message, remediation=advice, **details)
    if kind == "client-forbidden":
        advice = "The operator has to enroll the app in a plan at X."
        return Refused(code="permission_missing", message=message, remediation=advice, **details)
    if kind in {"unsupported-authentication", "oauth1-permissions"} or "scope" in text:
        return Refused(code="permission_missing", message=message, remediation=_RECONNECT, **details)
    return Refused(code="content_rejected", message=message, **details)
