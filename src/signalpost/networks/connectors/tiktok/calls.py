"""Calls whose responses have an envelope: an error may come with any status, and becomes an outcome by its code."""

from collections.abc import Mapping
from typing import Any, Final

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

OAUTH: Final = OAuthFacts(
    authorize="/v2/auth/authorize/",
    redeem="/v2/oauth/token/",
    revoke="/v2/oauth/revoke/",
    authorize_host="www",
    scopes=("user.info.basic", "user.info.profile", "user.info.stats", "video.publish", "video.upload", "video.list"),
    scope_separator=",",
    client_id_name="client_key",
    pkce=False,  # of desktop apps only, and in hexadecimal
    renewal="rotating",
    access_seconds=86_400,
    refresh_seconds=31_536_000,
)
refresh = oauth2.refresh_by(OAUTH)

CREATE_PHOTOS: Final = "POST /v2/post/publish/content/init/"
PART: Final = "PUT a part"
LAST_PART: Final = "PUT the last part"
"""The call that completes the upload of a video, after which TikTok publishes it."""
_LOST_PLACE: Final = frozenset({403, 404, 416})
"""Of a part: the address has expired or is unknown, or TikTok has another part of the file than we think."""
_DAY: Final = 86_400.0
_RECONNECT: Final = frozenset({"access_token_invalid", "invalid_grant"})
_PERMISSION: Final = frozenset(
    ("scope_not_authorized", "scope_permission_missed", "token_not_authorized_for_specified_publish_id")
)
_OPERATOR: Final = {
    "unaudited_client_can_only_post_to_private_accounts": "TikTok has not audited the operator's app. Until then only "
    "private accounts can be posted to, with the privacy level SELF_ONLY.",
    "url_ownership_unverified": "The operator has to verify the address of this service in TikTok's developer portal, "
    "since TikTok downloads photos from it.",
    "reached_active_user_cap": "TikTok has not audited the operator's app, and five people have used it today.",
    "app_version_check_failed": "The creator has to update the TikTok app.",
}
_QUOTA: Final = frozenset({"spam_risk_too_many_posts", "spam_risk_too_many_pending_share"})


async def call(session: NetworkSession, path: str, json: Any = None, **rest: Any) -> Mapping[str, Any]:
    """Call the API with the account's token and return `data` of the answer.

    Raises:
        ApiError: the answer names an error, whatever its status is.
    """

    async def send(token: str) -> Response:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json; charset=UTF-8"}
        response = await session.server.call("POST", path, headers=headers, json=json or {}, **rest)
        if code_of(response) not in {"ok", ""}:
            raise ApiError(response, f"POST {path}")
        return response

    data = members(await oauth2.call_with_token(session, refresh, send)).get("data")
    return data if isinstance(data, dict) else {}


def code_of(response: Response) -> str:
    error = members(response).get("error")
    code = error.get("code") if isinstance(error, dict) else error
    return code[:100] if isinstance(code, str) else ""


def explain(error: ApiError) -> Outcome:  # noqa: PLR0911 - one for each class of errors
    """Turn an error response into an outcome, with TikTok's message and the number of its log."""
    response, status, code = error.response, error.response.status, code_of(error.response)
    body = members(response)
    envelope = body.get("error")
    envelope = envelope if isinstance(envelope, dict) else {}
    text = str(envelope.get("message") or body.get("error_description") or code or f"status {status}")
    log_id = envelope.get("log_id") or body.get("log_id")
    details: dict[str, Any] = {
        "message": redacted(f"TikTok: {text}{f' (log {log_id})' if log_id else ''}")[:1000],
        "http_status": status,
        "platform_code": code,
        "response": response_text(response),
    }
    if status == 429 or code == "rate_limit_exceeded":
        return TryLater(code="rate_limited", after_seconds=wait_seconds(response), **details)
    if error.call in {PART, LAST_PART} and status in _LOST_PLACE:
        return TryLater(code="media_processing_failed", **details)
    if oauth2.refuses_app(error):
        return TryLater(limit_of="app", **details)
    if code in _QUOTA:
        return TryLater(code="platform_quota", after_seconds=_DAY, **details)
    if code.startswith("spam_risk"):
        return NeedsReconnect(restricted=True, **details)
    if code in _RECONNECT or (status == 401 and code not in _PERMISSION):
        return NeedsReconnect(**details)
    if 400 <= status < 500 or code in _OPERATOR or code in _PERMISSION:
        return _refused(error, code, details)
    if error.call in {CREATE_PHOTOS, LAST_PART}:
        del details["platform_code"]
        return OutcomeUnknown(**details)
    return TryLater(after_seconds=wait_seconds(response), **details)


def _refused(error: ApiError, code: str, details: dict[str, Any]) -> Refused:
    if code in _OPERATOR:
        return Refused(code="permission_missing", remediation=_OPERATOR[code], **details)
    if code in _PERMISSION or (details["http_status"] == 403 and not code):
        advice = "Connect the account again and allow everything that is asked for."
        return Refused(code="permission_missing", remediation=advice, **details)
    if code == "invalid_file_upload" or error.call.startswith("PUT"):
        return Refused(code="media_unsupported", **details)
    return Refused(code="content_rejected", **details)
