"""Telegram's Bot API as a messenger: what updates say, what is sent, and what errors mean. Pure.

Source: core.telegram.org/bots/api for 10.1 (11 June 2026). Only private chats count, where the id of the chat is that
of the person. Edited messages are not asked for: who edits a message sends it again.
"""

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct

from signalpost.kit import foreign
from signalpost.kit.http import Response
from signalpost.kit.http.errors import BadResponse
from signalpost.messenger.contract import (
    BUTTONS_MAX,
    ROWS_MAX,
    Blocked,
    Kind,
    Message,
    MessageFile,
    Option,
    Refused,
    Reply,
    Sender,
    SendResult,
    Sent,
    TryAgain,
    Unknown,
)

UPDATES: Final = ("message", "callback_query", "my_chat_member")
"""What is asked for."""
UPDATES_MAX: Final = 20
"""At once, so that an answer stays small."""
TEXT_MAX: Final = 4_096
"""UTF-16 units, after the entities were parsed."""
TITLE_MAX: Final = 64
DATA_BYTES_MAX: Final = 64
BYTES_MAX: Final = 20_000_000
"""Of a file that a bot may fetch."""
ID_MAX: Final = 1 << 53
WAIT_SECONDS: Final = 30.0
_PATH: Final = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*(\.[A-Za-z0-9]+)?")
_BOLD: Final = re.compile(r"\*([a-z][^*\n]*)\*")
_COMMAND: Final = re.compile(r"/([a-z]+)(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
_COMMANDS: Final = frozenset(
    ("help", "stop", "publish", "post", "schedule", "cancel", "status", "profiles", "profile", "start")
)
_TAP, _MESSAGE = "tap:", "message:"


class Updates(Struct, frozen=True):
    """The messages of an answer, and the number from which to ask next; None: there was nothing new."""

    messages: list[Message]
    following: int | None
    count: int


def read_updates(result: Any, bot_id: str, tapped_at: datetime) -> Updates:
    """Read what `getUpdates` answers. `tapped_at`: when a tap was made at the earliest, since Telegram does not say."""
    messages: dict[str, Message] = {}
    last, items = None, result[:100] if isinstance(result, list) else []
    for item in items:
        number = foreign.integer(item.get("update_id"), maximum=ID_MAX) if isinstance(item, Mapping) else None
        if number is None:
            continue
        last = number
        message = _message(item, f"telegram:{bot_id}:{number}", tapped_at)
        if message is not None:
            messages.setdefault(message.remote_id, message)
    return Updates(list(messages.values()), None if last is None else last + 1, len(items))


def _message(update: Mapping[str, Any], remote_id: str, tapped_at: datetime) -> Message | None:
    if item := _part(update, "message"):
        sender, sent_at = _sender(item, _part(item, "chat")), _instant(item.get("date"))
        if sender is None or sent_at is None:
            return None
        kind, text, file = _content(item)
        number, album = foreign.integer(item.get("message_id"), maximum=ID_MAX), item.get("media_group_id")
        answers = None if number is None else f"{_MESSAGE}{number}"
        album = foreign.identifier(album, 100) if kind == "media" else None
        return Message(remote_id, sender, kind, sent_at, text, file, answers, album)
    if item := _part(update, "callback_query"):
        sender, tap = _sender(item, _part(_part(item, "message"), "chat")), foreign.identifier(item.get("id"), 200)
        data = foreign.line(item.get("data"), 256)
        if sender is None or tap is None:
            return None
        return Message(remote_id, sender, "tap" if data else "unsupported", tapped_at, data, answers=f"{_TAP}{tap}")
    item = _part(update, "my_chat_member")
    sender, sent_at = _sender(item, _part(item, "chat")), _instant(item.get("date"))
    if sender is None or sent_at is None or _part(item, "new_chat_member").get("status") != "kicked":
        return None
    return Message(remote_id, sender, "blocked", sent_at)


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, Mapping) else {}


def _sender(item: Mapping[str, Any], chat: Mapping[str, Any]) -> Sender | None:
    """Return the person who wrote in their private chat; groups, channels and other bots are not heard."""
    person = _part(item, "from")
    number = foreign.integer(person.get("id"), minimum=1, maximum=ID_MAX)
    if number is None or person.get("is_bot") is True or chat.get("type") != "private" or chat.get("id") != number:
        return None
    username = foreign.identifier(person.get("username"), 64)
    name = f"@{username}" if username else foreign.line_or_none(person.get("first_name"), 64)
    return Sender(user_id=str(number), messenger="telegram", display_name=name)


def _instant(value: Any) -> datetime | None:
    number = foreign.integer(value, maximum=1 << 36)
    return None if number is None else foreign.instant(datetime.fromtimestamp(number, UTC))


_SILENT: Final = (
    "pinned_message", "message_auto_delete_timer_changed", "chat_background_set", "write_access_allowed",
    "connected_website",
)  # fmt: skip


def _content(item: Mapping[str, Any]) -> tuple[Kind, str, MessageFile | None]:
    if isinstance(item.get("text"), str):
        return "text", _words(foreign.text(item["text"], TEXT_MAX)), None
    caption = foreign.text(item.get("caption"))
    photos = item.get("photo")
    if isinstance(photos, list) and photos and isinstance(photos[-1], Mapping):  # the last one is the largest
        file = _file(photos[-1], "image", "image/jpeg")
    elif part := _part(item, "video") or _part(item, "animation"):  # an animation is a document too
        file = _file(part, "video", "video/mp4")
    else:
        file = _file(_part(item, "document"), "document", "")
    if file is not None:
        return "media", caption, file
    return "silent" if any(name in item for name in _SILENT) else "unsupported", "", None


def _file(part: Mapping[str, Any], kind: str, mime_type: str) -> MessageFile | None:
    file_id = foreign.identifier(part.get("file_id"), 300)
    if file_id is None:
        return None
    named_type = foreign.line(part.get("mime_type"), 100).partition(";")[0].strip().lower()
    name = foreign.line_or_none(part.get("file_name"), 200)
    return MessageFile(file_id, kind, named_type or mime_type, None, name, foreign.integer(part.get("file_size")))


def _words(text: str) -> str:
    """Return a command as people write it elsewhere: `/start K7PM2XQ9` is the code, `/publish` is `publish`."""
    match = _COMMAND.fullmatch(text.strip())
    if match is None or match[1] not in _COMMANDS:
        return text
    rest = (match[2] or "").strip()
    return rest if rest and match[1] == "start" else f"{match[1]} {rest}".strip()


# --- what is sent --------------------------------------------------------------------------------------------------


def message_body(recipient: Sender, reply: Reply) -> dict[str, Any]:
    """Return the body of the call that sends a reply: words between asterisks are bold, links have no preview."""
    markup = _BOLD.sub(r"<b>\1</b>", html.escape(_cut(reply.text, TEXT_MAX), quote=False))
    body: dict[str, Any] = {
        "chat_id": int(recipient.user_id or 0), "text": markup, "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
    }  # fmt: skip
    if reply.reply_to is not None and reply.reply_to.startswith(_MESSAGE):
        number = int(reply.reply_to.removeprefix(_MESSAGE))
        body["reply_parameters"] = {"message_id": number, "allow_sending_without_reply": True}
    rows = [[_button(option)] for option in reply.rows[:ROWS_MAX]]
    rows = [[_button(option) for option in reply.buttons[:BUTTONS_MAX]]] if reply.buttons else rows
    return body | ({"reply_markup": {"inline_keyboard": rows}} if rows else {})


def tap_of(reply: Reply) -> str | None:
    """Return the tap that a reply answers: until it is answered, the button shows that it waits."""
    answered = reply.reply_to or ""
    return answered.removeprefix(_TAP) if answered.startswith(_TAP) else None


def _button(option: Option) -> dict[str, str]:
    return {"text": _cut(option.title, TITLE_MAX), "callback_data": option.id}


def _cut(text: str, units_max: int) -> str:
    units = text.encode("utf-16-le", "replace")
    if len(units) <= 2 * units_max:
        return text
    return units[: 2 * units_max - 2].decode("utf-16-le", "ignore") + "…"


# --- what is answered ----------------------------------------------------------------------------------------------


def result_of(response: Response) -> Any:
    """Return the result of a call; None: it failed, or the response is not one of the Bot API."""
    body = _answer(response)
    return body.get("result") if response.status == 200 and body.get("ok") is True else None


def why(response: Response) -> str:
    """Return what Telegram says of an error."""
    return foreign.line(_answer(response).get("description"), 200) or f"status {response.status}"


def wait_seconds(response: Response) -> float:
    """Return how long to wait before the next call: as long as Telegram says, if it does."""
    wait = foreign.seconds(_part(_answer(response), "parameters").get("retry_after"), maximum=3_600)
    return wait or WAIT_SECONDS


def send_result(response: Response) -> SendResult:
    """Return what a response to a message means. Only an error of the Bot API proves that nothing was sent."""
    if (result := result_of(response)) is not None:
        message = result if isinstance(result, Mapping) else {}
        number = foreign.integer(message.get("message_id"), maximum=ID_MAX)
        chat_id = _part(message, "chat").get("id")
        return Unknown("the response has no id") if number is None else Sent(f"telegram:{chat_id}:{number}")
    reason, is_error = why(response), _answer(response).get("ok") is False
    if not is_error or response.status >= 500 or response.status < 400:
        return Unknown(f"status {response.status}")
    if response.status == 429:
        return TryAgain(wait_seconds(response), reason)
    if response.status == 403 or "chat not found" in reason:
        return Blocked(response.status, reason)
    return Refused(response.status, reason)


def file_path(result: Any) -> str | None:
    """Return where a file is below the address for files; None if that is not a plain path."""
    path = foreign.identifier(result.get("file_path"), 300) if isinstance(result, Mapping) else None
    return path if path is not None and _PATH.fullmatch(path) else None


def username_of(result: Any) -> str | None:
    """Return the username of a bot, from what `getMe` answers."""
    name = foreign.identifier(result.get("username"), 64) if isinstance(result, Mapping) else None
    return name if name is not None and name.replace("_", "").isalnum() and name.isascii() else None


def _answer(response: Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except BadResponse:
        return {}
    return body if isinstance(body, Mapping) else {}
