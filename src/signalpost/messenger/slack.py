"""Slack as a messenger: what comes over Socket Mode, what is sent, and what errors mean. Pure.

Source: docs.slack.dev/apis/events-api/using-socket-mode, /reference/events/message.im and
/reference/interaction-payloads/block_actions-payload, 2026-11. Only direct messages to the bot count. Whoever edits a
message sends it again, as elsewhere.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
from msgspec import Struct

from signalpost.kit import foreign
from signalpost.kit.http import BadResponse, Response
from signalpost.messenger import slack_text
from signalpost.messenger.contract import (
    BUTTONS_MAX,
    ROWS_MAX,
    Blocked,
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

TEXT_MAX: Final = 4_000
"""Documented are 40,000, but people report `msg_too_long` from 4,000 on; see the facts of the connector."""
WRITTEN_MAX: Final = 40_000
"""Of what a person writes."""
SECTION_MAX: Final = 3_000
"""Of a text above buttons."""
TITLE_MAX: Final = 75
FILES_MAX: Final = 10
BYTES_MAX: Final = 1_000_000_000
"""Of a file at Slack; less may be stored here."""
WAIT_SECONDS: Final = 30.0
LIMIT_SECONDS: Final = 10.0
HOST: Final = "slack.com"
"""Files and connections are at names below it, and it may see the token."""

_TEAM: Final = re.compile(r"[TE][A-Z0-9]{2,30}")
_USER: Final = re.compile(r"[UW][A-Z0-9]{2,30}")
_CHAT: Final = re.compile(r"D[A-Z0-9]{2,30}")
_FILE: Final = re.compile(r"F[A-Z0-9]{2,30}")
_INSTANT: Final = re.compile(r"([0-9]{1,11})\.([0-9]{6})")
_APP: Final = re.compile(r"xapp-[0-9]+-(A[A-Z0-9]+)-.+")
_WRITTEN: Final = frozenset(("", "file_share", "me_message", "thread_broadcast"))
"""Kinds of messages that people write; others tell of changes."""
_KINDS: Final = {"image": "image", "video": "video"}


class Envelope(Struct, frozen=True):
    """What comes at once. `id`: what is confirmed, None: nothing; `is_leaving`: the connection is about to end.

    `is_hello`: the connection is ready. `reason`: why it ends.
    """

    id: str | None
    messages: list[Message]
    is_hello: bool = False
    is_leaving: bool = False
    reason: str = ""


def read_envelope(text: bytes) -> Envelope:
    """Read a text of the connection; one that says nothing to us has neither id nor messages."""
    try:
        envelope = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Envelope(None, [])
    if not isinstance(envelope, Mapping):
        return Envelope(None, [])
    payload = _part(envelope, "payload")
    match envelope.get("type"):
        case "hello":
            return Envelope(None, [], is_hello=True)
        case "disconnect":
            return Envelope(None, [], is_leaving=True, reason=foreign.line(envelope.get("reason"), 100))
        case "events_api":
            messages = read_event(_part(payload, "event"), payload.get("team_id"))
        case "interactive":
            messages = _taps(payload)
        case _:
            messages = []
    return Envelope(foreign.identifier(envelope.get("envelope_id"), 200), messages)


def read_event(event: Mapping[str, Any], team_id: Any) -> list[Message]:
    """Return the message of an event: as many as it has files, which belong together; none: it is not for us."""
    if (event.get("type"), event.get("channel_type")) != ("message", "im") or _word(event, "subtype") not in _WRITTEN:
        return []
    sender, sent_at = _sender(team_id, event.get("user"), event.get("channel")), _instant(event.get("ts"))
    if sender is None or sent_at is None or event.get("bot_id") is not None:
        return []
    remote_id = f"slack:{team_id}:{sender.chat_id}:{event['ts']}"
    text = foreign.text(slack_text.written(event), WRITTEN_MAX)
    named = event.get("files")
    parts = named[:FILES_MAX] if isinstance(named, list) else []
    if not parts:
        return [Message(remote_id, sender, "text" if text else "unsupported", sent_at, text)]
    files = [_file(part) for part in parts]
    if None in files:
        return [Message(remote_id, sender, "unsupported", sent_at)]
    album, count = (remote_id, len(files)) if len(files) > 1 else (None, None)
    return [
        Message(
            f"{remote_id}:{number}" if number else remote_id, sender, "media", sent_at, "" if number else text, file,
            album=album, album_count=count,
        )
        for number, file in enumerate(files)
    ]  # fmt: skip


def read_history(answer: Mapping[str, Any], person: Sender) -> list[Message]:
    """Return what a person wrote, from a page of the history of their chat: as their events say it."""
    team, _, user = (person.user_id or "").partition(":")
    named = answer.get("messages")
    chat = {"type": "message", "channel": person.chat_id, "channel_type": "im"}
    written: list[Message] = []
    for message in named if isinstance(named, list) else ():
        if isinstance(message, Mapping) and message.get("user") == user:
            written += read_event({**message, **chat}, team)
    return written


def next_page(answer: Mapping[str, Any]) -> str | None:
    """Return the cursor of the next page; None: there is none."""
    return foreign.identifier(_part(answer, "response_metadata").get("next_cursor"), 500)


def _taps(payload: Mapping[str, Any]) -> list[Message]:
    named = payload.get("actions")
    if payload.get("type") != "block_actions" or not isinstance(named, list) or not named:
        return []
    action = named[0] if isinstance(named[0], Mapping) else {}
    user, team = _part(payload, "user"), _part(payload, "team")
    sender = _sender(team.get("id"), user.get("id"), _part(payload, "channel").get("id"))
    sent_at, value = _instant(action.get("action_ts")), foreign.line(action.get("value"), 256)
    if sender is None or sent_at is None:
        return []
    remote_id = f"slack:tap:{sender.user_id}:{action['action_ts']}"
    return [Message(remote_id, sender, "tap" if value else "unsupported", sent_at, value)]


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, Mapping) else {}


def _word(value: Mapping[str, Any], name: str) -> str:
    """Return a word of Slack's; empty: there is none."""
    word = value.get(name)
    return word if isinstance(word, str) else "" if word is None else "?"


def _sender(team: Any, user: Any, chat: Any) -> Sender | None:
    """Return the person who wrote. Ids of people are unique in their workspace only, so that it belongs to theirs."""
    for value, pattern in ((team, _TEAM), (user, _USER), (chat, _CHAT)):
        if not isinstance(value, str) or not pattern.fullmatch(value):
            return None
    return Sender(user_id=f"{team}:{user}", messenger="slack", display_name=user, chat_id=chat)


def _instant(value: Any) -> datetime | None:
    match = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    whole = datetime.fromtimestamp(int(match[1]), UTC)
    return foreign.instant(whole + timedelta(microseconds=int(match[2])))


def _file(part: Any) -> MessageFile | None:
    """Return a file by its id: everything else is asked for when it is fetched."""
    file_id = part.get("id") if isinstance(part, Mapping) else None
    if not isinstance(file_id, str) or not _FILE.fullmatch(file_id):
        return None
    mime_type = foreign.line(part.get("mimetype"), 100).partition(";")[0].strip().lower()
    kind = _KINDS.get(mime_type.partition("/")[0], "document")
    name, size = foreign.line_or_none(part.get("name"), 200), foreign.integer(part.get("size"), maximum=1 << 40)
    return MessageFile(file_id, kind, mime_type, None, name, size)


def app_of(app_token: str) -> str | None:
    """Return the id of the app, which its token contains."""
    match = _APP.fullmatch(app_token)
    return None if match is None else match[1]


# --- what is sent --------------------------------------------------------------------------------------------------


def message_body(recipient: Sender, reply: Reply) -> dict[str, Any]:
    """Return the body of the call that sends a reply. Words between asterisks are bold at Slack too."""
    options = reply.buttons[:BUTTONS_MAX] or reply.rows[:ROWS_MAX]
    text = _escaped(reply.text, SECTION_MAX if options else TEXT_MAX)
    body: dict[str, Any] = {
        "channel": recipient.chat_id, "text": text, "unfurl_links": False, "unfurl_media": False,
    }  # fmt: skip
    if options:
        body["blocks"] = [
            {"type": "section", "text": {"type": "mrkdwn", "text": text}},
            {"type": "actions", "elements": [_button(number, option) for number, option in enumerate(options)]},
        ]
    return body


def _button(number: int, option: Option) -> dict[str, Any]:
    title = {"type": "plain_text", "text": _cut(option.title, TITLE_MAX), "emoji": False}
    return {"type": "button", "action_id": f"option-{number}", "text": title, "value": option.id}


def _escaped(text: str, length_max: int) -> str:
    """Return a text that shows itself; as much of it as fits."""
    cut = _cut(text, length_max)
    while len(escaped := cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")) > length_max:
        cut = _cut(cut, len(cut) - (len(escaped) - length_max + 4) // 5)
    return escaped


def _cut(text: str, length_max: int) -> str:
    return text if len(text) <= length_max else text[: length_max - 1] + "…"


# --- what is answered ----------------------------------------------------------------------------------------------

_LIMITED: Final = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
_UNSURE: Final = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
"""Slack says of these that a part of the call may have succeeded; of `request_timeout`, that it was cut short."""
_GONE: Final = frozenset({"channel_not_found", "user_not_found", "user_disabled"})
_TOKENS: Final = frozenset((
    "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "not_allowed_token_type",
    "team_access_not_granted", "missing_scope",
))  # fmt: skip


def answer_of(response: Response) -> Mapping[str, Any]:
    """Return what a method of the Web API answers; empty: Slack answers otherwise."""
    try:
        body = response.json()
    except BadResponse:
        return {}
    return body if isinstance(body, Mapping) else {}


def why(response: Response) -> str:
    """Return Slack's word for an error."""
    answer = answer_of(response)
    needed = foreign.line(answer.get("needed"), 200) if answer.get("error") == "missing_scope" else ""
    word = foreign.line(answer.get("error"), 100) or f"status {response.status}"
    return f"{word}: {needed}" if needed else word


def is_about_tokens(response: Response) -> bool:
    """Whether an error says that the token is not, or no more, one for this."""
    return _word(answer_of(response), "error") in _TOKENS


def is_there_later(response: Response) -> bool:
    """Whether a call that was refused may succeed later; otherwise what it asked for is not there."""
    word = _word(answer_of(response), "error")
    return word in {"", "?"} or word in _LIMITED | _UNSURE | _TOKENS or response.status >= 429


def wait_seconds(response: Response) -> float:
    """Return how long to wait before the next call: as long as Slack says, if it does."""
    named = response.headers.get("Retry-After", "")
    return float(min(int(named), 3_600)) if named.isascii() and named.isdigit() and len(named) < 9 else LIMIT_SECONDS


def send_result(response: Response) -> SendResult:
    """Return what a response to a message means. Only a word of Slack's proves that nothing was sent."""
    answer = answer_of(response)
    if answer.get("ok") is True:
        chat, ts = foreign.identifier(answer.get("channel"), 50), foreign.identifier(answer.get("ts"), 50)
        return Unknown("the response has no id") if ts is None else Sent(f"slack:{chat}:{ts}")
    word = _word(answer, "error") if answer.get("ok") is False else ""
    if word in _LIMITED or response.status == 429:
        return TryAgain(wait_seconds(response), why(response))
    if word in {"", "?"} or word in _UNSURE or response.status >= 500:
        return Unknown(why(response))
    return Blocked(response.status, why(response)) if word in _GONE else Refused(response.status, why(response))


def located(response: Response) -> tuple[str | None, int | None]:
    """Return the address of a file and its size, from what `files.info` answers; None: there is none."""
    file = _part(answer_of(response), "file")
    address = foreign.url(file.get("url_private_download")) or foreign.url(file.get("url_private"))
    return address, foreign.integer(file.get("size"), maximum=1 << 40)
