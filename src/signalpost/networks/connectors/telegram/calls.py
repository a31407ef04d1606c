"""Calls with the token of a bot, and what the errors of Telegram mean."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from signalpost.kit.http import BadResponse
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
from signalpost.networks.responses import members, redacted, response_text, wait_seconds

CALL_SECONDS = 60.0
"""Telegram answers late to those who send too much, and the message may be public although nobody waited."""
SENDS = "/send"
ID_MAX = 1 << 53
_CODES = (  # what a description contains, in lower case, and the code that it means; the first one counts
    ("chat not found", "destination_missing"),
    ("thread not found", "destination_missing"),
    ("topic_closed", "destination_missing"),
    ("topic_deleted", "destination_missing"),
    ("upgraded to a supergroup", "destination_missing"),
    ("not enough rights", "permission_missing"),
    ("have no rights", "permission_missing"),
    ("administrator rights", "permission_missing"),
    ("chat_admin_required", "permission_missing"),
    ("chat_write_forbidden", "permission_missing"),
    ("chat_restricted", "permission_missing"),
    ("_forbidden", "permission_missing"),
    ("can't be deleted", "permission_missing"),
    ("caption_too_long", "text_too_long"),
    ("message_too_long", "text_too_long"),
    ("is too long", "text_too_long"),
    ("too big", "media_too_large"),
    ("too large", "media_too_large"),
    ("image_process_failed", "media_processing_failed"),
    ("photo_", "media_unsupported"),
    ("video_", "media_unsupported"),
    ("media_", "media_unsupported"),
    ("in the album", "media_unsupported"),
    ("other media types", "media_unsupported"),
    ("wrong type of", "media_unsupported"),
    ("must be non-empty", "media_unsupported"),
    ("wrong file", "media_unsupported"),
)
_ADVICE = {
    "permission_missing": "Make the bot an administrator that may post, and delete messages, in the chat.",
    "destination_missing": "Add the bot to the chat again, or name another topic.",
}
_REVOKED = "The token of the bot is not valid any more: connect the account with the new one."
_REMOVED = "Add the bot to the chat again, as an administrator, and connect the account again."


async def call(
    server: Server, token: str, method: str, *, timeout_seconds: float = CALL_SECONDS, **request: Any
) -> Any:
    """Call a method and return its result. The token is in the path: errors name the method and nothing else.

    Raises:
        ApiError, kit.http.HttpFailure: as `Server.call`.
    """
    path = f"/bot{quote(token, safe=':')}/{method}"
    try:
        response = await server.call("POST", path, timeout_seconds=timeout_seconds, **request)
    except ApiError as error:
        raise ApiError(error.response, f"POST /{method}") from None
    answer = members(response)
    if answer.get("ok") is not True or "result" not in answer:
        raise BadResponse("the response has no result", status=response.status)
    return answer["result"]


async def call_in_chat(
    session: NetworkSession, method: str, request: Callable[[str], Mapping[str, Any]], **rest: Any
) -> Any:
    """Call a method for the account's chat; `request` returns what is sent, by the id of the chat.

    A group that became a supergroup has another id from then on. Telegram names it in its refusal, so nothing was done
    yet: it is stored, and the call made there.
    """
    token, chat_id = session.secrets["botToken"], session.secrets.get("chatId", session.remote_id)
    try:
        return await call(session.server, token, method, **rest, **request(chat_id))
    except ApiError as error:
        moved = _parameter(error.response, "migrate_to_chat_id")
        if moved is None or str(moved) == chat_id:
            raise
    await session.save_tokens({**session.secrets, "chatId": str(moved)}, None)
    return await call(session.server, token, method, **rest, **request(str(moved)))


def _parameter(response: Response, name: str) -> int | None:
    """Return one of the numbers that an error gives to machines."""
    parameters = members(response).get("parameters")
    value = parameters.get(name) if isinstance(parameters, dict) else None
    return value if type(value) is int and -ID_MAX < value < ID_MAX else None


def description(response: Response) -> str:
    """Return what Telegram says of an error."""
    return redacted(str(members(response).get("description") or f"status {response.status}"))[:1000]


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome: by its status, and what can be done about it by its description."""
    response, status, body = error.response, error.response.status, members(error.response)
    text = description(response)
    message = f"Telegram: {text}"
    details: dict[str, Any] = {"http_status": status, "response": response_text(response)}
    if status == 429:
        wait = _parameter(response, "retry_after")
        after = float(wait) if wait is not None and wait > 0 else wait_seconds(response)
        return TryLater(message=message, code="rate_limited", after_seconds=after, **details)
    if status == 413:  # of the proxy before Telegram, so it may be a page
        return Refused(code="media_too_large", message=message, **details)
    if body and status in {401, 403, 404}:  # 404: not even the form of a token
        return NeedsReconnect(message=f"{message}. {_REMOVED if status == 403 else _REVOKED}", **details)
    if body and 400 <= status < 500:
        return _refused(text.lower(), message, details)
    if SENDS in error.call:
        return OutcomeUnknown(message=message, **details)
    return TryLater(message=message, after_seconds=wait_seconds(response), **details)


def _refused(text: str, message: str, details: Mapping[str, Any]) -> Refused | TryLater:
    if "temporarily unavailable" in text:
        return TryLater(message=message, **details)
    code = next((code for words, code in _CODES if words in text), "content_rejected")
    return Refused(code=code, message=message, remediation=_ADVICE.get(code), **details)
