"""Calls with tokens that last an hour; error responses become outcomes by YouTube's reasons."""

from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from signalpost.kit import clock
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

_SCOPE: Final = "https://www.googleapis.com/auth/"
ANALYTICS_SCOPE: Final = f"{_SCOPE}yt-analytics.readonly"
OAUTH: Final = OAuthFacts(
    authorize="/o/oauth2/v2/auth",
    redeem="/token",
    revoke="/revoke",
    authorize_host="accounts",
    redeem_host="oauth",
    scopes=(f"{_SCOPE}youtube.upload", f"{_SCOPE}youtube", f"{_SCOPE}youtube.force-ssl", ANALYTICS_SCOPE),
    parameters={"access_type": "offline", "prompt": "consent", "include_granted_scopes": "true"},
    renewal="kept",
    access_seconds=3_600,
    refresh_seconds=15_552_000,  # a refresh token dies when it is not used for six months
)
refresh = oauth2.refresh_by(OAUTH)
revoke = oauth2.revoke_by(OAUTH)

CREATE: Final = "PUT /upload/youtube/v3/videos"
"""The last part of an upload: it makes the video exist."""
COMMENT: Final = "POST /youtube/v3/comments?part=snippet"
_QUOTA: Final = frozenset({"quotaExceeded", "dailyLimitExceeded"})
_RATE: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_CLOSED: Final = frozenset({"authenticatedUserAccountClosed", "authenticatedUserAccountSuspended"})
_RECONNECT: Final = frozenset({"authError", "UNAUTHENTICATED", "invalid_grant", "youtubeSignupRequired"})
_PERMISSION: Final = frozenset(
    ("insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "forbidden", "accessNotConfigured")
)
_RETRIED: Final = frozenset({"processingFailure", "SERVICE_UNAVAILABLE", "backendError", "internalError"})
_MEDIA: Final = frozenset({"mediaBodyRequired", "invalidFilename", "imageFormatUnsupported"})
_PACIFIC: Final = ZoneInfo("America/Los_Angeles")


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call the Data API with the account's token."""
    headers = rest.pop("headers", {})

    async def send(token: str) -> Response:
        authorized = {**headers, "Authorization": f"Bearer {token}"}
        return await session.server.call(method, path, headers=authorized, **rest)

    return await oauth2.call_with_token(session, refresh, send)


def reason_of(response: Response) -> str:
    """Return what YouTube calls the error: the reason of its first entry, or what the token route says."""
    error = members(response).get("error")
    if isinstance(error, str):
        return error[:100]
    details = error.get("errors") if isinstance(error, dict) else None
    first = details[0] if isinstance(details, list) and details else None
    reason = first.get("reason") if isinstance(first, dict) else None
    status = error.get("status") if isinstance(error, dict) else None
    return str(reason or status or "")[:100]


def explain(error: ApiError) -> Outcome:  # noqa: PLR0911 - one for each class of errors
    """Turn an error response into an outcome, with YouTube's message."""
    response, status, reason = error.response, error.response.status, reason_of(error.response)
    body = members(response)
    inner = body.get("error")
    text = inner.get("message") if isinstance(inner, dict) else body.get("error_description") or inner
    details: dict[str, Any] = {
        "message": redacted(f"YouTube: {text or reason or f'status {status}'}")[:1000],
        "http_status": status,
        "platform_code": reason,
        "response": response_text(response),
    }
    if reason in _QUOTA:
        return TryLater(code="platform_quota", after_seconds=until_pacific_midnight(clock.now()), **details)
    if reason == "uploadLimitExceeded":
        return TryLater(code="platform_quota", after_seconds=86_400.0, **details)
    if status == 429 or reason in _RATE:
        if reason == "rateLimitExceeded":
            details["limit_of"] = "app"
        return TryLater(code="rate_limited", after_seconds=wait_seconds(response), **details)
    of_app = oauth2.refuses_app(error)
    if of_app or (reason in _RETRIED and status < 500):
        return TryLater(limit_of="app" if of_app else "account", **details)
    if reason in _CLOSED:
        return NeedsReconnect(restricted=True, **details)
    if status == 401 or reason in _RECONNECT:
        return NeedsReconnect(**details)
    if 400 <= status < 500:
        return _refused(error, reason, details)
    if error.call in {CREATE, COMMENT}:
        del details["platform_code"]
        return OutcomeUnknown(**details)
    return TryLater(after_seconds=wait_seconds(response), **details)


def until_pacific_midnight(now: datetime) -> float:
    """Return the seconds until YouTube's quotas begin again."""
    local = now.astimezone(_PACIFIC)
    midnight = (local + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight.astimezone(now.tzinfo) - now).total_seconds() + 60


def _refused(error: ApiError, reason: str, details: dict[str, Any]) -> Refused:
    status = details["http_status"]
    if reason == "accessNotConfigured":
        advice = "The operator has to enable the YouTube Data API for the project of the app in Google's console."
        return Refused(code="permission_missing", remediation=advice, **details)
    if reason in _PERMISSION or (status == 403 and not reason):
        advice = "Connect the channel again and allow everything that is asked for."
        return Refused(code="permission_missing", remediation=advice, **details)
    if reason in _MEDIA or status == 415:
        return Refused(code="media_unsupported", **details)
    if status == 413:
        return Refused(code="media_too_large", **details)
    if status == 404 and "/upload/" not in error.call:
        return Refused(code="destination_missing", **details)
    return Refused(code="content_rejected", **details)
