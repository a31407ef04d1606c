"""Calls of the versioned API; error responses become outcomes by LinkedIn's codes."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from signalpost.kit import clock
from signalpost.networks import oauth2
from signalpost.networks.connectors.linkedin.facts import FACTS
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

OAUTH: Final = OAuthFacts(
    authorize="/oauth/v2/authorization",
    redeem="/oauth/v2/accessToken",
    revoke="/oauth/v2/revoke",
    authorize_host="www",
    redeem_host="www",
    scopes=("openid", "profile", "w_member_social"),
    pkce=False,
    renewal="fixed",
    access_seconds=5_184_000,
    refresh_seconds=31_536_000,
)
refresh = oauth2.refresh_by(OAUTH)
CREATE: Final = "POST /rest/posts"
DUPLICATE: Final = re.compile(r"duplicate of (urn:li:(?:share|ugcPost|activity):\w{1,100})")
_STATUS_CODES: Final = {404: "destination_missing", 413: "media_too_large", 415: "media_unsupported"}
_REFUSALS: Final = {
    "DUPLICATE_POST": "duplicate_content",
    "MEDIA_ASSET_PROCESSING_FAILED": "media_processing_failed",
    "INVALID_IMAGE_ID": "media_unsupported",
    "INVALID_VIDEO_ID": "media_unsupported",
}
_RETRIED: Final = frozenset({"MEDIA_ASSET_WAITING_UPLOAD", "EXPIRED_UPLOAD_URL", "CONFLICT"})
_OUTDATED: Final = frozenset({"NONEXISTENT_VERSION", "VERSION_MISSING"})


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call the API with the account's token, renewing it if LinkedIn lets this app do so."""
    version = {"LinkedIn-Version": FACTS.api_version or "", "X-Restli-Protocol-Version": "2.0.0"}
    headers = {**version, **rest.pop("headers", {})}

    async def send(token: str) -> Response:
        authorized = {**headers, "Authorization": f"Bearer {token}"}
        return await session.server.call(method, path, headers=authorized, **rest)

    renewable = bool(session.secrets.get("refreshToken"))
    return await oauth2.call_with_token(session, refresh if renewable else None, send)


def encoded(urn: str) -> str:
    """Return a URN as a segment of a path or a value of a query."""
    return quote(urn, safe="")


def explain(error: ApiError) -> Outcome:  # noqa: PLR0911 - one for each class of errors
    """Turn an error response into an outcome, with LinkedIn's message."""
    response, status = error.response, error.response.status
    body = members(response)
    code = str(body.get("code") or body.get("error") or "")[:100]
    text = str(body.get("message") or body.get("error_description") or code or f"status {status}")
    message = redacted(f"LinkedIn: {text}")[:1000]
    details: dict[str, Any] = {"message": message, "http_status": status, "response": response_text(response)}
    if status == 429:
        return _limited(response, text, code, details)
    if oauth2.refuses_app(error):
        return TryLater(limit_of="app", platform_code=code, **details)
    if status == 401 or (status == 400 and code == "invalid_grant"):
        return NeedsReconnect(platform_code=code, **details)
    if code in _OUTDATED or status == 426:
        advice = "LinkedIn has ended the version of its API that this service speaks. The operator has to update it."
        return Refused(code="internal_error", platform_code=code, remediation=advice, **details)
    if code in _RETRIED or (status == 409 and code != "DUPLICATE_POST"):
        waits = code == "MEDIA_ASSET_WAITING_UPLOAD"
        kind = "media_processing_failed" if waits else "platform_unavailable"
        return TryLater(code=kind, after_seconds=10.0 if waits else None, platform_code=code, **details)
    if 400 <= status < 500:
        return _refused(error, body, code, details)
    if error.call == CREATE:
        return OutcomeUnknown(**details)
    return TryLater(after_seconds=wait_seconds(response), platform_code=code, **details)


def _limited(response: Response, text: str, code: str, details: dict[str, Any]) -> TryLater:
    """Return when to try again: limits for a day end at midnight UTC, and LinkedIn names no time."""
    of_app = "APPLICATION" in text and "MEMBER" not in text
    after = wait_seconds(response)
    daily = after is None and re.search(r"\bDAY\b|\bdaily\b", text) is not None
    if daily:
        after = _until_midnight(clock.now())
    return TryLater(
        code="platform_quota" if daily and not of_app else "rate_limited",
        after_seconds=after,
        limit_of="app" if of_app else "account",
        platform_code=code,
        **details,
    )


def _until_midnight(now: datetime) -> float:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return (midnight - now).total_seconds() + 60


def _refused(error: ApiError, body: Mapping[str, Any], code: str, details: dict[str, Any]) -> Refused:
    status, text = details["http_status"], details["message"]
    details = {**details, "platform_code": code}
    if status == 403 and error.call.endswith("/comments"):
        advice = (
            "Comments need permissions of their own, w_member_social_feed and w_organization_social_feed: the operator "
            "lists them in SIGNALPOST_LINKEDIN_SCOPES, and the account is connected again."
        )
        return Refused(
            code="permission_missing", remediation=advice, **{**details, "message": f"{text} {advice}"[:1000]}
        )
    if status == 403:
        advice = (
            "Connect the account again and allow it to post. For an organization the member needs the role of an "
            "administrator or content administrator, and the operator's app LinkedIn's Community Management API."
        )
        return Refused(code="permission_missing", remediation=advice, **details)
    return Refused(code=_code_of_refusal(error, body, code, text), **details)


def _code_of_refusal(error: ApiError, body: Mapping[str, Any], code: str, text: str) -> str:
    if DUPLICATE.search(text):
        return "duplicate_content"
    if code == "FIELD_LENGTH_TOO_LONG" and "commentary" in str(body):
        return "text_too_long"
    media = any(f"/{kind}" in error.call for kind in ("images", "videos", "documents"))
    by_status = _STATUS_CODES.get(error.response.status, "media_unsupported" if media else "content_rejected")
    return _REFUSALS.get(code, by_status)
