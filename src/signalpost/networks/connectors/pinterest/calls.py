"""Calls with an account's token, and what the errors of Pinterest mean."""

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

CREATE = "POST /v5/pins"
OAUTH = OAuthFacts(
    authorize="/oauth/",
    authorize_host="www",
    redeem="/v5/oauth/token",
    scopes=("boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"),
    scope_separator=",",
    pkce=False,
    client_auth="basic",
    renewal="rotating",
    access_seconds=2_592_000,
    refresh_seconds=5_184_000,
)
_TOKEN_CALL = f"POST {OAUTH.redeem}"
_STATUS_CODES = {403: "permission_missing", 404: "destination_missing"}
_ACCESS = "Connect the account again; the operator's app needs standard access at Pinterest."

refresh = oauth2.refresh_by(OAUTH)


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call Pinterest with the account's token; it is renewed when it ends."""
    headers = rest.pop("headers", {})

    async def send(token: str) -> Response:
        return await session.server.call(method, path, headers={**headers, "Authorization": f"Bearer {token}"}, **rest)

    return await oauth2.call_with_token(session, refresh, send)


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, by its status first: the inner codes are not all documented."""
    response, status, body = error.response, error.response.status, members(error.response)
    text = redacted(str(body.get("message") or f"status {status}"))[:1000]
    message, code = f"Pinterest: {text}", body.get("code")
    details: dict[str, Any] = {"http_status": status, "response": response_text(response)}
    details["platform_code"] = str(code) if isinstance(code, int) else None
    if status == 429:
        return TryLater(message=message, code="rate_limited", after_seconds=wait_seconds(response), **details)
    if error.call == _TOKEN_CALL and status == 401:  # of a refresh token that has ended it says 400
        return TryLater(message=message, limit_of="app", **details)
    if body and (status == 401 or (error.call == _TOKEN_CALL and 400 <= status < 500)):
        return NeedsReconnect(message=message, **details)
    if 400 <= status < 500 and body:
        return _refused(error, text, message, details)
    if error.call == CREATE:
        details.pop("platform_code")
        return OutcomeUnknown(message=message, **details)
    return TryLater(message=message, after_seconds=wait_seconds(response), **details)


def _refused(error: ApiError, text: str, message: str, details: dict[str, Any]) -> Refused | TryLater:
    status = error.response.status
    if "nable to reach the URL" in text:
        return TryLater(message=message, code="media_fetch_failed", **details)
    if status == 403:
        return Refused(code="permission_missing", message=message, remediation=_ACCESS, **details)
    code = "media_unsupported" if "/media" in error.call else _STATUS_CODES.get(status, "content_rejected")
    return Refused(code=code, message=message, **details)
