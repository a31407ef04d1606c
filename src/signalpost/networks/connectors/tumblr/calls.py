"""Calls with an account's token, and what the errors of Tumblr mean."""

import re
from collections.abc import Mapping
from typing import Any, Final

from signalpost.kit.http import BadResponse
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
    authorize="/oauth2/authorize",
    authorize_host="www",
    redeem="/v2/oauth2/token",
    scopes=("basic", "write", "offline_access"),
    pkce=False,
    renewal="rotating",
    access_seconds=2_520,
)
_TOKEN_CALL: Final = f"POST {OAUTH.redeem}"
_CREATE: Final = re.compile(r"POST /v2/blog/[^/]+/posts")
_HOUR, _MINUTES = 3_600.0, 300.0
_REFUSALS: Final[Mapping[int, tuple[str, str]]] = {
    8001: ("content_rejected", "Look at the text, the link and the options of the post."),
    8005: ("media_unsupported", "Tumblr cannot read one of the files: save it as JPEG, PNG, GIF, MP4 or MP3."),
    8016: ("content_rejected", "Look at the text and the options of the post."),
}
_LATER: Final[Mapping[int, tuple[str, float]]] = {
    8004: ("The person has uploaded as many files as Tumblr takes in a day.", _HOUR),
    8010: ("Tumblr still converts another video of the person.", _MINUTES),
    8011: ("The person has uploaded as many videos as Tumblr takes in a day.", _HOUR),
    8022: ("The queue of the blog is full.", _HOUR),
    8023: ("The blog has as many new posts as Tumblr takes in a day.", _HOUR),
}
"""Limits of a person or a blog; Tumblr does not say when its day ends."""
_BY_STATUS: Final = {403: "permission_missing", 404: "destination_missing", 413: "media_too_large"}
_ADVICE: Final = {
    403: "Look at Tumblr whether the person may still post to this blog.",
    404: "Tumblr has no such blog any more: connect another one.",
    413: "Use smaller files, or fewer of them.",
}

refresh = oauth2.refresh_by(OAUTH)


async def call(session: NetworkSession, method: str, path: str, **rest: Any) -> Response:
    """Call Tumblr with the account's token; it is renewed when it ends."""

    async def send(token: str) -> Response:
        return await session.server.call(method, path, headers={"Authorization": f"Bearer {token}"}, **rest)

    return await oauth2.call_with_token(session, refresh, send)


def blog_path(session: NetworkSession, rest: str) -> str:
    """Return a path of the blog that the account is."""
    return f"/v2/blog/{session.remote_id}/{rest}"


def answer_of(response: Response) -> Mapping[str, Any]:
    """Return what a response says in `response`.

    Raises:
        BadResponse: it is not of Tumblr's form.
    """
    answer = members(response).get("response")
    if not isinstance(answer, dict):
        raise BadResponse("the response has no answer", status=response.status)
    return answer


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, by the code in `errors` where there is one, else by the status."""
    response, status, body = error.response, error.response.status, members(error.response)
    code, text = _code_and_text(body, status)
    details: dict[str, Any] = {
        "message": f"Tumblr: {redacted(text)[:1000]}", "http_status": status, "response": response_text(response),
    }  # fmt: skip
    coded = details | {"platform_code": None if code is None else str(code)}
    if status == 429:
        return _limited(response, coded)
    if error.call == _TOKEN_CALL and oauth2.refuses_app(error):
        return TryLater(limit_of="app", **coded)
    if body and (status == 401 or (error.call == _TOKEN_CALL and 400 <= status < 500)):
        return NeedsReconnect(**coded)
    if (body or status == 413) and 400 <= status < 500 and status != 408:
        return _refused(code or 0, status, coded)
    if _CREATE.fullmatch(error.call):
        return OutcomeUnknown(**details)
    return TryLater(after_seconds=wait_seconds(response), **coded)


def _refused(code: int, status: int, details: Mapping[str, Any]) -> Refused | TryLater:
    if code in _LATER:
        message, seconds = _LATER[code]
        return TryLater(**{**details, "message": message}, code="platform_quota", after_seconds=seconds)
    kind, advice = _REFUSALS.get(code, (_BY_STATUS.get(status, "content_rejected"), _ADVICE.get(status)))
    return Refused(code=kind, remediation=advice, **details)


def _limited(response: Response, details: Mapping[str, Any]) -> TryLater:
    """Return how long to wait. Headers count what is left of the app's calls in an hour and in a day."""
    for window in ("Perday", "Perhour"):
        if response.headers.get(f"X-Ratelimit-{window}-Remaining") == "0":
            seconds = _seconds(response.headers.get(f"X-Ratelimit-{window}-Reset"))
            return TryLater(code="rate_limited", limit_of="app", after_seconds=seconds, **details)
    return TryLater(code="rate_limited", after_seconds=wait_seconds(response), **details)


def _seconds(text: str | None) -> float | None:
    return min(float(text), 86_400.0) if text and re.fullmatch(r"\d{1,9}", text) else None


def _code_and_text(body: Mapping[str, Any], status: int) -> tuple[int | None, str]:
    """Return Tumblr's code and words for what is wrong."""
    errors = body.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    code = first.get("code")
    meta = body.get("meta")
    summary = meta.get("msg") if isinstance(meta, dict) else body.get("error_description") or body.get("error")
    words = string(first.get("detail")) or string(first.get("title")) or string(summary) or f"status {status}"
    return code if type(code) is int else None, words
