"""Calls by an account's webhook or bot, and what the errors of Discord mean."""

from collections.abc import Iterator, Mapping
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

API: Final = "/api/v10"
SECONDS_MAX: Final = 30.0
_GONE: Final = {10015, 50027, 40001, 50014, 40002}
"""Codes of a webhook or token that no longer exists."""
_LATER: Final = {40004, 40006, 130000}
_PERMISSION: Final = {50001, 50013, 160002, 400001}
_PLACES: Final = {10003, 10004, 50083, 160005, 220001, 50008, 50024, 40058}
_FILES: Final = {30015, 50045, 50046, 50110, 50123}
_ADVICE: Final[Mapping[int, str]] = {
    50001: "Let the bot see the channel: add it in the channel's permissions.",
    50013: "Give the bot the permissions to send messages, attach files and embed links in the channel.",
    160002: "Give the bot the permission to read the message history.",
    220001: "The channel is a forum: set threadName, or threadId for a thread that exists.",
    220003: "Only forums have titles: leave out threadName.",
    40067: "The forum asks for a tag: set appliedTags.",
}
_ERRORS_MAX, _DEPTH_MAX = 3, 8


def is_webhook(session: NetworkSession) -> bool:
    """Return whether the account is a webhook; else it is a bot."""
    return session.facts.get("mode") != "bot"


async def call_webhook(server: Server, webhook_id: str, token: str, method: str, path: str, **rest: Any) -> Response:
    """Call a webhook. Its token is in the address, so errors do not name that.

    Raises:
        ApiError: as of `Server.call`.
    """
    try:
        return await server.call(method, f"{API}/webhooks/{webhook_id}/{token}{path}", **rest)
    except ApiError as error:
        raise ApiError(error.response, f"{method} {API}/webhooks/{webhook_id}{path}") from None


async def call_as_bot(server: Server, token: str, method: str, path: str, **rest: Any) -> Response:
    """Call Discord with the token of a bot."""
    return await server.call(method, f"{API}{path}", headers={"Authorization": f"Bot {token}"}, **rest)


async def call_message(session: NetworkSession, method: str, remote_id: str, **rest: Any) -> Response:
    """Call a message that the account sent, by its remote id."""
    channel, message_id = place_of(session, remote_id)
    if not is_webhook(session):
        path = f"/channels/{channel}/messages/{message_id}"
        return await call_as_bot(session.server, session.secrets["botToken"], method, path, **rest)
    params = {} if channel == session.facts.get("channelId") else {"thread_id": channel}
    return await call_webhook(
        session.server, session.remote_id, session.secrets["webhookToken"], method, f"/messages/{message_id}",
        params=params, **rest,
    )  # fmt: skip


def remote_id_of(session: NetworkSession, channel: str, message_id: str) -> str:
    """Return the remote id of a message: that of Discord, after the thread's where it is in one."""
    return message_id if channel == session.facts.get("channelId") else f"{channel}/{message_id}"


def place_of(session: NetworkSession, remote_id: str) -> tuple[str, str]:
    """Return channel and id of a message by its remote id."""
    channel, _, message_id = remote_id.rpartition("/")
    return channel or str(session.facts.get("channelId")), message_id


def code_of(response: Response) -> int:
    """Return Discord's own error code; 0 if the response has none."""
    code = members(response).get("code")
    return code if type(code) is int else 0


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, by Discord's code first. Each POST of this connector sends a message."""
    response, status, code = error.response, error.response.status, code_of(error.response)
    body, creating = members(response), error.call.startswith("POST ")
    text = "; ".join(_texts(body)) or f"status {status}"
    details: dict[str, Any] = {
        "message": f"Discord: {redacted(text)[:1000]}", "http_status": status, "response": response_text(response),
        "platform_code": str(code) if code else None,
    }  # fmt: skip
    if status == 429:
        return _limited(response, body, details)
    gone = status == 401 or code in _GONE or (code in {10003, 10004} and not creating)
    if gone and body:
        return NeedsReconnect(**details)
    if code in _LATER:
        return TryLater(after_seconds=wait_seconds(response), **details)
    of_proxy = status in {401, 403} and not body
    if 400 <= status < 500 and status != 408 and not of_proxy:
        return _refused(status, code, body, details)
    if creating:
        details.pop("platform_code")
        return OutcomeUnknown(**details)
    return TryLater(after_seconds=wait_seconds(response), **details)


def _limited(response: Response, body: Mapping[str, Any], details: dict[str, Any]) -> TryLater:
    """Without Discord's body the limit is that of the address, which all accounts share."""
    value = body.get("retry_after")
    seconds = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    after = wait_seconds(response) or (max(float(seconds), 1.0) if seconds is not None else None)
    return TryLater(code="rate_limited", after_seconds=after, limit_of="account" if body else "app", **details)


def _refused(status: int, code: int, body: Mapping[str, Any], details: dict[str, Any]) -> Refused:
    kind = "content_rejected"
    if code in _PERMISSION or (status == 403 and code == 0):
        kind = "permission_missing"
    elif code in _PLACES or (status == 404 and code != 10008):
        kind = "destination_missing"
    elif code == 40005 or status == 413:
        kind = "media_too_large"
    elif code in _FILES:
        kind = "media_unsupported"
    elif code == 50035 and (path := next(_paths(body), "")):
        kind = "text_too_long" if path == "content" else "media_unsupported" if path.startswith("attach") else kind
    return Refused(code=kind, remediation=_ADVICE.get(code), **details)


def _texts(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the message of an error, and what is wrong with which member."""
    if (message := string(body.get("message"))) is not None:
        yield message
    for number, (path, words) in enumerate(_faults(body.get("errors"), "", 0)):
        if number == _ERRORS_MAX:
            return
        yield f"{path}: {words}"


def _paths(body: Mapping[str, Any]) -> Iterator[str]:
    for path, _ in _faults(body.get("errors"), "", 0):
        yield path


def _faults(tree: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield path and words of each leaf of an "Invalid Form Body"."""
    if not isinstance(tree, dict) or depth > _DEPTH_MAX:
        return
    leaves = tree.get("_errors")
    for leaf in leaves if isinstance(leaves, list) else ():
        if isinstance(leaf, dict) and (words := string(leaf.get("message"))) is not None:
            yield path, words
    for name, branch in tree.items():
        if name != "_errors":
            yield from _faults(branch, f"{path}.{name}" if path else str(name), depth + 1)
