"""Calls by an account's webhook or bot, and what the errors of Slack mean."""

import re
from collections.abc import Mapping
from typing import Any, Final

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
from signalpost.networks.responses import members, redacted, response_text, string, wait_seconds

WEBHOOK: Final = "POST /services"
CREATES: Final = frozenset({"POST /api/chat.postMessage", "POST /api/files.completeUploadExternal", WEBHOOK})
_WORD: Final = re.compile(r"[a-z_]{3,60}")
_GONE: Final = frozenset((
    "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "team_access_not_granted",
    "no_service", "no_service_id", "no_team", "team_disabled", "invalid_token", "no_active_hooks",
))  # fmt: skip
_LIMITED: Final = frozenset({"ratelimited", "rate_limited"})
_LATER: Final = _LIMITED | {"request_timeout", "message_limit_exceeded", "team_added_to_org", "org_login_required"}
"""Nothing was done."""
_LATE: Final = frozenset({408, 429})
_UNSURE: Final = frozenset({"internal_error", "fatal_error", "service_unavailable", "rollup_error"})
"""Slack says of these that a part of the call may have succeeded, or nothing at all."""
_PERMISSION, _PLACE = "permission_missing", "destination_missing"
_ALLOW: Final = "Ask an administrator of the workspace to let apps post in this channel."
_REFUSALS: Final[Mapping[str, tuple[str, str | None]]] = {
    "missing_scope": (_PERMISSION, "Add the permission to the app, install it in the workspace again, and reconnect."),
    "not_allowed_token_type": (_PERMISSION, "Connect the account with the token of a bot, which begins with xoxb-."),
    "not_in_channel": (_PERMISSION, "Add the bot to the channel: write /invite and its @name there."),
    "no_permission": (_PERMISSION, "Add the bot to the channel: write /invite and its @name there."),
    "access_denied": (_PERMISSION, _ALLOW),
    "ekm_access_denied": (_PERMISSION, _ALLOW),
    "action_prohibited": (_PERMISSION, _ALLOW),
    "posting_to_general_channel_denied": (_PERMISSION, _ALLOW),
    "cant_delete_message": (_PERMISSION, "Delete the message in Slack."),
    "channel_not_found": (_PLACE, "The channel is gone, or private and without the bot: write /invite and its @name."),
    "is_archived": (_PLACE, "Restore the channel in Slack, or connect another one."),
    "channel_is_archived": (_PLACE, "Restore the channel in Slack, or connect another one."),
    "messages_tab_disabled": (_PLACE, "Connect a channel instead of the app's own messages."),
    "thread_not_found": (_PLACE, "The message to reply to is gone: choose another one, or leave out threadTs."),
    "cannot_reply_to_message": (_PLACE, "This message takes no replies: choose another one, or leave out threadTs."),
    "msg_too_long": ("text_too_long", None),
    "msg_blocks_too_long": ("text_too_long", None),
    "file_upload_size_restricted": ("media_too_large", None),
    "storage_limit_reached": ("media_too_large", "The workspace has no space left for files: delete some in Slack."),
    "file_type_not_allowed": ("media_unsupported", "The workspace does not allow files of this type."),
    "file_uploads_disabled": (_PERMISSION, "Ask an administrator of the workspace to allow files."),
    "file_uploads_except_images_disabled": ("media_unsupported", "The workspace allows images alone."),
    "file_not_found": ("media_processing_failed", "Slack dropped the file before it was shown: try again."),
}
_ADVICE: Final = "Copy the address of a webhook or the token again, and connect the account."


def is_webhook(session: NetworkSession) -> bool:
    """Return whether the account is a webhook; else it is a bot."""
    return session.facts.get("mode") != "bot"


async def call(server: Server, token: str, call_: str, **rest: Any) -> Mapping[str, Any]:
    """Call a method of the Web API, such as `GET auth.test`. Slack answers most errors with status 200.

    Raises:
        ApiError: as `Server.call`, and where the answer says that it is an error.
        BadResponse: the answer says neither.
    """
    return members(await response_of(server, token, call_, **rest))


async def response_of(server: Server, token: str, call_: str, **rest: Any) -> Response:
    """Do what `call` does, and return the whole response."""
    verb, _, method = call_.partition(" ")
    path = f"/api/{method}"
    response = await server.call(verb, path, headers={"Authorization": f"Bearer {token}"}, **rest)
    answer = members(response)
    if answer.get("ok") is not True:
        if string(answer.get("error")) is None:
            raise BadResponse("the response says neither that it worked nor why not", status=response.status)
        raise ApiError(response, f"{verb} {path}")
    return response


async def call_webhook(server: Server, account: str, token: str, message: Mapping[str, Any]) -> Response:
    """Send a message by a webhook. Its token is in the address, so errors do not name that.

    Raises:
        ApiError: as of `Server.call`.
    """
    try:
        return await server.at("hooks").call("POST", f"/services/{account}/{token}", json=message)
    except ApiError as error:
        raise ApiError(error.response, WEBHOOK) from None


def code_of(response: Response) -> str:
    """Return Slack's word for an error: in JSON, or as the whole body of a webhook's answer; empty if there is none."""
    body = members(response)
    word = string(body.get("error")) if body else response.body[:100].decode("ascii", "replace").strip()
    return word if word is not None and _WORD.fullmatch(word) else ""


def explain(error: ApiError) -> Outcome:
    """Turn an error response into an outcome, by Slack's word first."""
    response, status, code = error.response, error.response.status, code_of(error.response)
    needed = string(members(response).get("needed")) if code == "missing_scope" else None
    text = f"{code or f'status {status}'}{f' ({needed[:200]})' if needed else ''}"
    details: dict[str, Any] = {
        "message": f"Slack: {redacted(text)}", "http_status": status, "response": response_text(response),
        "platform_code": code or None,
    }  # fmt: skip
    if code in _GONE:
        return NeedsReconnect(**details | {"message": f"{details['message']}. {_ADVICE}"})
    is_named = bool(code) or bool(members(response).get("error"))
    if status == 413 or (is_named and status not in _LATE and status < 500 and code not in _LATER | _UNSURE):
        return _refused(code, status, details)
    if error.call in CREATES and status != 429 and code not in _LATER:
        details.pop("platform_code")
        return OutcomeUnknown(**details)
    kind = "rate_limited" if status == 429 or code in _LIMITED else "platform_unavailable"
    return TryLater(code=kind, after_seconds=wait_seconds(response), **details)


def _refused(code: str, status: int, details: Mapping[str, Any]) -> Refused:
    other = ("media_too_large" if status == 413 else "content_rejected", None)
    kind, advice = _REFUSALS.get(code, (_PERMISSION, _ALLOW) if code.startswith("restricted_action") else other)
    return Refused(code=kind, remediation=advice, **details)
