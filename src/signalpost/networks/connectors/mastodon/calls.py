"""Calls with an account's token, and errors turned into outcomes: Mastodon has no error codes, only words."""

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


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call the account's server with its token."""
    headers = {**rest.pop("headers", {}), "Authorization": f"Bearer {session.secrets['accessToken']}"}
    return await session.server.call(method, path, headers=headers, **rest)


def error_text(response: Response) -> str:
    """Return what the server says about an error."""
    told = members(response)
    return redacted(str(told.get("error_description") or told.get("error") or f"status {response.status}"))[:1000]


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome; the server's own words are kept."""
    response, status = error.response, error.response.status
    said = error_text(response)
    message = f"Mastodon: {said}"
    about: dict[str, Any] = {"http_status": status, "response": response_text(response)}
    if status == 429:
        return TryLater(message=message, code="rate_limited", after_seconds=wait_seconds(response), **about)
    if status in {401, 410} or (status == 403 and "scope" not in said.lower()):
        return NeedsReconnect(message=message, restricted=status == 403, **about)
    if 400 <= status < 500:
        return _refused(error, said, message, about)
    declared = status == 503 and "error" in members(response)  # Mastodon's own "try again", not a proxy's
    if error.call == CREATE and not declared:
        return OutcomeUnknown(message=message, **about)
    return TryLater(message=message, after_seconds=wait_seconds(response), **about)


def _refused(error: ApiError, said: str, message: str, about: dict[str, Any]) -> Refused | TryLater:
    status = error.response.status
    if status == 422 and "finished processing" in said:
        return TryLater(message=message, code="media_processing_failed", after_seconds=10.0, **about)
    if status == 403:
        advice = "Connect the account again and allow it to write posts and media."
        return Refused(
            code="permission_missing", message=message, remediation=advice, **about
        )  # fmt: skip
    if "/media" in error.call or status == 413:
        looking = error.call.startswith("GET")
        code = "media_too_large" if status == 413 else "media_processing_failed" if looking else "media_unsupported"
        return Refused(code=code, message=message, **about)
    if status == 404:
        return Refused(code="destination_missing", message=message, **about)
    if "haracter limit" in said:
        return Refused(code="text_too_long", message=message, **about)
    return Refused(code="content_rejected", message=message, **about)
