"""Calls with tokens that last an hour, and what the errors of Google's business APIs mean."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

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
from signalpost.networks.responses import members, redacted, response_text, string, wait_seconds

OAUTH: Final = OAuthFacts(
    authorize="/o/oauth2/v2/auth",
    redeem="/token",
    revoke="/revoke",
    authorize_host="accounts",
    redeem_host="oauth",
    scopes=("https://www.googleapis.com/auth/business.manage",),
    parameters={"access_type": "offline", "prompt": "consent"},
    renewal="kept",
    access_seconds=3_600,
    refresh_seconds=15_552_000,  # a refresh token dies when it is not used for six months
)
refresh = oauth2.refresh_by(OAUTH)
revoke = oauth2.revoke_by(OAUTH)

_DISABLED: Final = frozenset({"SERVICE_DISABLED", "accessNotConfigured"})
_SCOPES: Final = frozenset({"ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"})
_PHOTO_CODES: Final = range(1000, 1100)
"""Of `ErrorDetail.code`: everything about photos."""
_DETAILS_MAX: Final = 10
_DELAY: Final = re.compile(r"(\d{1,6})(?:\.\d{1,9})?s")
_ENABLE: Final = "The operator has to enable it for the project of the app in Google's console."
_APPROVAL: Final = (
    "Google has not approved the operator's project for the Business Profile APIs, so its quota is 0. "
    "The operator applies for Basic API Access with Google's form."
)
_AGAIN: Final = "Connect the location again and allow what is asked for."
_MANAGER: Final = "The person who connected the location has to be its owner or a manager. Then connect it again."
_GONE: Final = "Google no longer has this location, or it belongs to another account. Connect it again."
_FETCH: Final = "Google could not download the photo from this service. Its address has to be public."


class GoogleError(Struct, frozen=True):
    """What an error response says. `fields`: by the names of the request, what is wrong with them."""

    message: str
    reason: str
    metadata: Mapping[str, Any]
    fields: Sequence[tuple[str, str]]
    photo: bool
    retry_seconds: float | None


async def call(session: NetworkSession, method: str, path: str, *, host: str = "", **rest: Any) -> Response:
    """Call one of the APIs with the token of the grant; it is renewed when it ends."""

    async def send(token: str) -> Response:
        server = session.server.at(host)
        return await server.call(method, path, headers={"Authorization": f"Bearer {token}"}, **rest)

    return await oauth2.call_with_token(session, refresh, send)


def is_create(called: str) -> bool:
    """Return whether a call makes a post: its path has the location in it."""
    return called.startswith("POST ") and called.endswith("/localPosts")


def read_error(response: Response) -> GoogleError | None:
    """Return what Google says is wrong; None if the response is not one of its errors."""
    body = members(response)
    error = body.get("error")
    if isinstance(error, str):  # of the host of tokens
        message = string(body.get("error_description")) or error
        return GoogleError(message, error[:100], {}, (), photo=False, retry_seconds=None)
    if not isinstance(error, dict):
        return None
    details = error.get("details")
    entries = (
        [entry for entry in details[:_DETAILS_MAX] if isinstance(entry, dict)] if isinstance(details, list) else []
    )
    info = next((entry for entry in entries if _kind(entry) == "ErrorInfo"), {})
    issues = [issue for entry in entries for issue in _issues(entry)]
    metadata = info.get("metadata")
    return GoogleError(
        message=string(error.get("message")) or "",
        reason=(string(info.get("reason")) or _old_reason(error) or string(error.get("status")) or "")[:100],
        metadata=metadata if isinstance(metadata, dict) else {},
        fields=[
            (str(issue.get("field") or issue.get("fieldViolation") or ""), text)
            for issue in issues
            if (text := string(issue.get("message")) or string(issue.get("description")))
        ],
        photo=any(type(issue.get("code")) is int and issue["code"] in _PHOTO_CODES for issue in issues),
        retry_seconds=next((seconds for entry in entries if (seconds := _delay(entry)) is not None), None),
    )


def _kind(entry: Mapping[str, Any]) -> str:
    return (string(entry.get("@type")) or "").rpartition(".")[2]


def _issues(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    listed = entry.get("errorDetails") if _kind(entry) == "ValidationError" else entry.get("fieldViolations")
    for issue in listed[:_DETAILS_MAX] if isinstance(listed, list) else ():
        if isinstance(issue, dict):
            yield issue


def _old_reason(error: Mapping[str, Any]) -> str | None:
    """Return the reason in the older form of errors, which has no details; `badRequest` and its like say nothing."""
    errors = error.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    reason = string(first.get("reason"))
    return reason if reason in _DISABLED | _SCOPES else None


def _delay(entry: Mapping[str, Any]) -> float | None:
    delay = _DELAY.fullmatch(string(entry.get("retryDelay")) or "") if _kind(entry) == "RetryInfo" else None
    return None if delay is None else float(delay[1]) + 1.0


def explain(error: ApiError) -> Outcome:  # noqa: PLR0911 - one for each class of errors
    """Turn an error response into an outcome, with Google's words and what is wrong with each field."""
    response, status, google = error.response, error.response.status, read_error(error.response)
    if google is None:
        message, body = f"Google answered with status {status}.", response_text(response)
        if is_create(error.call):
            return OutcomeUnknown(message=message, http_status=status, response=body)
        return TryLater(message=message, after_seconds=wait_seconds(response), http_status=status, response=body)
    issues = [f"{field}: {text}" if field else text for field, text in google.fields]
    words = " ".join([google.message, *issues]).strip() or google.reason or f"status {status}"
    details: dict[str, Any] = {
        "message": redacted(f"Google: {words}")[:1000], "http_status": status, "response": response_text(response),
        "platform_code": google.reason or None,
    }  # fmt: skip
    if status == 429:
        return _limited(google, response, details)
    if oauth2.refuses_app(error):
        return TryLater(limit_of="app", **details)
    if status == 401 or google.reason == "invalid_grant":
        return NeedsReconnect(**details)
    if status in {408, 409} or status >= 500:
        if is_create(error.call) and status != 409:
            del details["platform_code"]
            return OutcomeUnknown(**details)
        return TryLater(after_seconds=google.retry_seconds or wait_seconds(response), **details)
    if status == 403:
        return _forbidden(google, details)
    if status == 404:
        return Refused(code="destination_missing", remediation=_GONE, **details)
    return _invalid(google, details)


def _limited(google: GoogleError, response: Response, details: dict[str, Any]) -> Refused | TryLater:
    if str(google.metadata.get("quota_limit_value")) == "0":
        return Refused(code="permission_missing", remediation=_APPROVAL, **details)
    of_project = "Project" in str(google.metadata.get("quota_limit"))
    return TryLater(
        code="rate_limited", after_seconds=google.retry_seconds or wait_seconds(response),
        limit_of="app" if of_project else "account", **details,
    )  # fmt: skip


def _forbidden(google: GoogleError, details: dict[str, Any]) -> Refused:
    advice = _MANAGER
    if google.reason in _DISABLED:
        service = string(google.metadata.get("service"))
        advice = f"{_ENABLE} The API is called {service}." if service else _ENABLE
    elif google.reason in _SCOPES:
        advice = _AGAIN
    return Refused(code="permission_missing", remediation=advice, **details)


def _invalid(google: GoogleError, details: dict[str, Any]) -> Refused | TryLater:
    about_photo = google.photo or any(field.startswith("media") for field, _ in google.fields)
    if about_photo and any("etch" in text for _, text in google.fields):
        return TryLater(code="media_fetch_failed", **details | {"message": f"{details['message']} {_FETCH}"})
    return Refused(code="media_unsupported" if about_photo else "content_rejected", **details)
