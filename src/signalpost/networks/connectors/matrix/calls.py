"""Calls to a homeserver with an access token, and what the errors of Matrix mean."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

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
from signalpost.networks.responses import (
    WAIT_SECONDS_MAX,
    members,
    number,
    redacted,
    response_text,
    string,
    wait_seconds,
)

API: Final = "/_matrix/client/v3"
_SIGN_IN: Final = "Make a new access token, and connect the account again."
_GONE: Final = {
    "M_UNKNOWN_TOKEN": f"The server does not know this access token, or it has ended. {_SIGN_IN}",
    "M_MISSING_TOKEN": f"The server saw no access token. {_SIGN_IN}",
    "M_USER_DEACTIVATED": "The user was deactivated: connect the room by another one.",
    "M_USER_LOCKED": "The administrator of the server has locked the user: ask them.",
}
_ASK: Final = "Ask the administrator of the homeserver."
_POWER: Final = "In the room, let this user send messages: invite them again, or raise their power level."
_REFUSALS: Final[Mapping[str, tuple[str, str | None]]] = {
    "M_FORBIDDEN": ("permission_missing", _POWER),
    "M_USER_SUSPENDED": ("permission_missing", _ASK),
    "M_CONSENT_NOT_GIVEN": ("permission_missing", "Sign in as this user once, and accept the terms of the server."),
    "M_GUEST_ACCESS_FORBIDDEN": ("permission_missing", "Connect the room by another user: guests may not write."),
    "M_NOT_FOUND": ("destination_missing", "The room is gone, or the server does not know it: connect another one."),
    "M_UNRECOGNIZED": ("destination_missing", "Check the address: the server does not know this call of Matrix."),
}
_BUSY: Final = {"M_LIMIT_EXCEEDED", "M_RESOURCE_LIMIT_EXCEEDED"}
_LATE: Final = frozenset({408, 429})


def segment(value: str) -> str:
    """Return an id as a segment of a path."""
    return quote(value, safe="")


def headers_of(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def call_server(server: Server, token: str, call: str, **rest: Any) -> Response:
    """Call a homeserver, as `GET /account/whoami` of the client API, or `POST /_matrix/media/…`."""
    method, _, path = call.partition(" ")
    path = path if path.startswith("/_matrix/") else f"{API}{path}"
    return await server.call(method, path, headers=headers_of(token) | dict(rest.pop("headers", {})), **rest)


async def call_api(session: NetworkSession, call: str, **rest: Any) -> Response:
    """Call the homeserver of the account."""
    return await call_server(session.server, session.secrets["accessToken"], call, **rest)


def room_path(session: NetworkSession) -> str:
    return f"/rooms/{segment(str(session.facts.get('roomId')))}"


def code_of(response: Response) -> str:
    """Return Matrix's own code of an error; empty if the response is not Matrix's."""
    return string(members(response).get("errcode")) or ""


def error_text(response: Response) -> str:
    """Return what the server says of an error."""
    return redacted(string(members(response).get("error")) or f"status {response.status}")[:1000]


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, by Matrix's code first.

    An answer that names no error comes from a proxy; of a call that sends, it leaves open what became of the event.
    """
    response, status, code = error.response, error.response.status, code_of(error.response)
    details: dict[str, Any] = {
        "message": f"Matrix: {code + ': ' if code else ''}{error_text(response).rstrip('.')}", "http_status": status,
        "response": response_text(response), "platform_code": code or None,
    }  # fmt: skip
    if code in _GONE:
        return NeedsReconnect(**details | {"message": f"{details['message']}. {_GONE[code]}"})
    if code in _BUSY or status == 429:
        kind = "platform_unavailable" if code == "M_RESOURCE_LIMIT_EXCEEDED" else "rate_limited"
        return TryLater(code=kind, after_seconds=_wait(response), **details)
    is_named = bool(code) or bool(members(response).get("error"))
    if status == 413 or (is_named and 400 <= status < 500 and status not in _LATE):
        return _refused(error.call, status, code, details)
    if is_send(error.call):
        details.pop("platform_code")
        return OutcomeUnknown(**details)
    return TryLater(code="platform_unavailable", after_seconds=_wait(response), **details)


def is_send(call: str) -> bool:
    """Whether a call makes an event public."""
    return call.startswith("PUT ") and "/send/" in call


def _refused(call: str, status: int, code: str, details: Mapping[str, Any]) -> Refused:
    is_upload = "/media/" in call
    if status == 413 or code == "M_TOO_LARGE":
        return Refused(code="media_too_large" if is_upload else "text_too_long", **details)
    other = ("permission_missing", _ASK) if status in {401, 403} else (
        "media_unsupported" if is_upload else "content_rejected", None)  # fmt: skip
    kind, advice = _REFUSALS.get(code, other)
    return Refused(code=kind, remediation=advice, **details)


def _wait(response: Response) -> float | None:
    """Return how long the server asks to wait; until Matrix 1.10 that stood in the body."""
    seconds = wait_seconds(response)
    milliseconds = number(members(response).get("retry_after_ms"))
    return seconds if seconds is not None or milliseconds is None else min(milliseconds / 1000, WAIT_SECONDS_MAX)
