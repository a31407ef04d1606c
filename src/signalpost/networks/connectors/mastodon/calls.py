"""Calls with an account's token; error responses become outcomes by status and text, since Mastodon has no codes."""

from collections.abc import Mapping
from typing import Any

from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Refused,
    Response,
    TryLater,
)
from signalpost.networks.responses import members, redacted, response_text, wait_seconds

CREATE = "POST /api/v1/statuses"
_WITHOUT_USER = "This method requires an authenticated user"


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call the account's server with its token."""
    headers = {**rest.pop("headers", {}), "Authorization": f"Bearer {session.secrets['accessToken']}"}
    return await session.server.call(method, path, headers=headers, **rest)


def error_text(response: Response) -> str:
    """Return the error message of the server."""
    return _error_text(response.status, members(response))


def _error_text(status: int, body: Mapping[str, Any]) -> str:
    return redacted(str(body.get("error_description") or body.get("error") or f"status {status}"))[:1000]


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, with the message of the server.

    The token of a suspended or disabled account stays valid, but opens nothing (403). When the account's data are
    deleted, up to a month later, its token goes with them: 422 while the token is there without its user, then 401.
    A page of a proxy or a firewall, which is not JSON, says nothing of the account.
    """
    response, status = error.response, error.response.status
    body = members(response)
    text = _error_text(status, body)
    message = f"Mastodon: {text}" if body else f"Not Mastodon's answer, but that of a proxy or firewall: {text}"
    details: dict[str, Any] = {"http_status": status, "response": response_text(response)}
    if status == 429:
        return TryLater(message=message, code="rate_limited", after_seconds=wait_seconds(response), **details)
    without_user = status == 422 and text == _WITHOUT_USER
    is_of_account = status in {401, 410} or without_user or (status == 403 and "scope" not in text.lower())
    if is_of_account and body:
        return NeedsReconnect(message=message, restricted=status == 403, **details)
    if 400 <= status < 500 and not is_of_account:
        return _refused(error, text, message, details)
    declared = status == 503 and "error" in body  # Mastodon's own "try again", not a proxy's
    if error.call == CREATE and not declared:
        return OutcomeUnknown(message=message, **details)
    return TryLater(message=message, after_seconds=wait_seconds(response), **details)


def _refused(error: ApiError, text: str, message: str, details: dict[str, Any]) -> Refused | TryLater:
    status = error.response.status
    if status == 422 and "finished processing" in text:
        return TryLater(message=message, code="media_processing_failed", after_seconds=10.0, **details)
    if status == 403:
        advice = "Connect the account again and allow it to write posts and media."
        return Refused(
            code="permission_missing", message=message, remediation=advice, **details
        )  # fmt: skip
    if "/media" in error.call or status == 413:
        looking = error.call.startswith("GET")
        code = "media_too_large" if status == 413 else "media_processing_failed" if looking else "media_unsupported"
        return Refused(code=code, message=message, **details)
    if status == 404:
        return Refused(code="destination_missing", message=message, **details)
    if "haracter limit" in text:
        return Refused(code="text_too_long", message=message, **details)
    return Refused(code="content_rejected", message=message, **details)
