"""Calls to DEV with a person's API key, and what its errors mean."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Refused,
    Response,
    Server,
    TryLater,
)
from signalpost.networks.responses import members, redacted, response_text, string, wait_seconds

API: Final = "/api"
ACCEPT: Final = "application/vnd.forem.api-v1+json"
CREATE: Final = "POST /articles"
SECONDS_MAX: Final = 30.0
ANSWER_BYTES_MAX: Final = 32_000_000  # a page of thirty articles, each with its text
_TAKEN: Final = "has already been taken"
_ONCE: Final = "DEV takes the same text under the same title once, and each canonical address once."
_REFUSALS: Final[Mapping[int, tuple[str, str | None]]] = {
    403: ("permission_missing", "DEV lets this person not publish now, or not in the name of this organization."),
    404: ("destination_missing", "The article is not there any more."),
    413: ("text_too_long", None),
}


async def call_with(server: Server, key: str, call: str, **rest: Any) -> Response:
    """Call DEV with an API key: `GET /users/me`; errors name the call like that.

    Raises:
        ApiError, kit.http.HttpFailure: as `Server.call`.
    """
    method, _, path = call.partition(" ")
    options = {"timeout_seconds": SECONDS_MAX, "bytes_max": ANSWER_BYTES_MAX} | rest
    try:
        return await server.call(method, f"{API}{path}", headers={"api-key": key, "Accept": ACCEPT}, **options)
    except ApiError as error:
        raise ApiError(error.response, call) from None


async def call_api(session: NetworkSession, call: str, **rest: Any) -> Response:
    """Call DEV as the account."""
    return await call_with(session.server, session.secrets.get("apiKey", ""), call, **rest)


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome. A page instead of JSON comes from a server before DEV."""
    response, status, body = error.response, error.response.status, members(error.response)
    text = redacted(string(body.get("error")) or f"status {status}")[:1000]
    details: dict[str, Any] = {
        "message": f"DEV: {text}", "http_status": status, "response": response_text(response),
    }  # fmt: skip
    if status == 429:
        return TryLater(code="rate_limited", after_seconds=wait_seconds(response), **details)
    if status == 401 and body:
        return NeedsReconnect(**details)
    if body and 400 <= status < 500 and status != 408:
        if _TAKEN in text:
            return Refused(code="duplicate_content", remediation=_ONCE, **details)
        code, advice = _REFUSALS.get(status, ("content_rejected", None))
        return Refused(code=code, remediation=advice, **details)
    if error.call == CREATE:
        return OutcomeUnknown(**details)
    return TryLater(code="platform_unavailable", after_seconds=wait_seconds(response), **details)
