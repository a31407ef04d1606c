"""The WhatsApp Business Cloud API: what its webhook sends, what is sent to it, and what its errors mean. Pure.

Source: Meta's OpenAPI document of the API (v23.0) and developers.facebook.com, read 2026-11. Since 2026 a message may
have a user id of the business's own (`from_user_id`) and no phone number.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from signalpost.kit import foreign
from signalpost.kit.http import Response
from signalpost.kit.http.errors import BadResponse
from signalpost.messenger.contract import (
    BUTTONS_MAX,
    ROWS_MAX,
    Kind,
    Message,
    MessageFile,
    Refused,
    Reply,
    Report,
    Sender,
    SendResult,
    Sent,
    TryAgain,
    Unknown,
    Update,
)
from signalpost.networks.meta.graph import GRAPH_VERSION

MESSAGES_MAX: Final = 1_000
"""Of one call, and so of status reports."""
TEXT_MAX: Final = 4_096
BUTTON_TEXT_MAX: Final = 1_024
"""Of a message with buttons or a list."""
BUTTON_TITLE_MAX: Final = 20
ROW_TITLE_MAX: Final = 24
WINDOW_SECONDS: Final = 24 * 3600
"""How long after a person's last message free text may be sent to them."""
BYTES_MAX: Final = {"image": 5_000_000, "video": 16_000_000, "document": 100_000_000}
TOKEN_HOSTS: Final = ("fbsbx.com", "facebook.com", "fbcdn.net", "whatsapp.net")
"""Hosts, with all below them, that files come from and that may see the access token."""

OUTSIDE_WINDOW: Final = 131047
_RETRY_SECONDS: Final[Mapping[int, float]] = {
    4: 60, 80007: 60, 130429: 10, 131056: 6, 131048: 300, 131016: 30, 131057: 300, 133016: 300,
}  # fmt: skip
"""Codes that say that nothing was sent because of a limit or a closed service -> how long to wait."""


def read_update(payload: Any, phone_number_id: str) -> Update:
    """Read a call of the webhook: what concerns this number, and nothing of other kinds."""
    messages: dict[str, Message] = {}
    reports: list[Report] = []
    for value in _values(payload):
        metadata = value.get("metadata")
        if not isinstance(metadata, Mapping) or str(metadata.get("phone_number_id")) != phone_number_id:
            continue
        contacts = [contact for contact in _list(value, "contacts") if isinstance(contact, Mapping)]
        for item in _list(value, "messages"):
            if len(messages) < MESSAGES_MAX and (message := _message(item, contacts)) is not None:
                messages.setdefault(message.remote_id, message)
        for item in _list(value, "statuses"):
            if len(reports) < MESSAGES_MAX and (report := _report(item)) is not None:
                reports.append(report)
    return Update(list(messages.values()), reports)


def _values(payload: Any) -> Iterator[Mapping[str, Any]]:
    if not isinstance(payload, Mapping) or payload.get("object") != "whatsapp_business_account":
        return
    for entry in _list(payload, "entry"):
        for change in _list(entry, "changes"):
            if isinstance(change, Mapping) and change.get("field") == "messages":
                value = change.get("value")
                if isinstance(value, Mapping):
                    yield value


def _list(value: Any, name: str) -> Sequence[Any]:
    items = value.get(name) if isinstance(value, Mapping) else None
    return items[:MESSAGES_MAX] if isinstance(items, list) else ()


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, Mapping) else {}


def _message(item: Any, contacts: Sequence[Mapping[str, Any]]) -> Message | None:
    if not isinstance(item, Mapping):
        return None
    remote_id, sender = foreign.identifier(item.get("id")), _sender(item, contacts)
    sent_at = _instant(item.get("timestamp"))
    if remote_id is None or sender is None or sent_at is None:
        return None
    kind, text, file = _content(item)
    return Message(remote_id, sender, kind, sent_at, text, file)


def _sender(item: Mapping[str, Any], contacts: Sequence[Mapping[str, Any]]) -> Sender | None:
    phone, user_id = _phone(item.get("from")), foreign.identifier(item.get("from_user_id"), 200)
    for contact in contacts:
        its_phone, its_user = _phone(contact.get("wa_id")), foreign.identifier(contact.get("user_id"), 200)
        alone = len(contacts) == 1 and phone is None and user_id is None
        if alone or (phone is not None and phone == its_phone) or (user_id is not None and user_id == its_user):
            phone, user_id = phone or its_phone, user_id or its_user
    return None if phone is None and user_id is None else Sender(phone, user_id)


def _phone(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isascii() and value.isdigit() and 5 <= len(value) <= 20 else None


def _instant(value: Any) -> datetime | None:
    if not isinstance(value, str) or not value.isascii() or not value.isdigit() or len(value) > 12:
        return None
    try:
        return foreign.instant(datetime.fromtimestamp(int(value), UTC))
    except (OverflowError, OSError, ValueError):
        return None


_WITHOUT_CONTENT: Final[Mapping[Any, Kind]] = {
    "system": "left", "reaction": "silent", "edit": "silent", "revoke": "silent",
}  # fmt: skip


def _content(item: Mapping[str, Any]) -> tuple[Kind, str, MessageFile | None]:
    kind = item.get("type")
    part = _part(item, kind) if isinstance(kind, str) else {}
    match kind:
        case "text":
            return "text", foreign.text(part.get("body"), TEXT_MAX), None
        case "image" | "video" | "document" if file := _file(part, kind):
            return "media", foreign.text(part.get("caption")), file
        case "button" if text := foreign.line(part.get("payload") or part.get("text"), 256):
            return "tap", text, None
        case "interactive" if text := foreign.line(_chosen(part).get("id"), 256):
            return "tap", text, None
    return _WITHOUT_CONTENT.get(kind, "unsupported") if isinstance(kind, str) else "unsupported", "", None


def _chosen(part: Mapping[str, Any]) -> Mapping[str, Any]:
    return _part(part, "button_reply") or _part(part, "list_reply")


def _file(part: Mapping[str, Any], kind: str) -> MessageFile | None:
    media_id = foreign.identifier(part.get("id"), 200)
    if media_id is None or not media_id.isalnum() or not media_id.isascii():  # it becomes a part of an address
        return None
    mime_type = foreign.line(part.get("mime_type"), 100).partition(";")[0].strip().lower()
    sha256, name = foreign.identifier(part.get("sha256"), 100), foreign.line_or_none(part.get("filename"), 200)
    return MessageFile(media_id, kind, mime_type, sha256, name)


def _report(item: Any) -> Report | None:
    if not isinstance(item, Mapping):
        return None
    remote_id, state = foreign.identifier(item.get("id")), item.get("status")
    if remote_id is None or state not in ("delivered", "read", "played", "failed"):
        return None
    error = next((error for error in _list(item, "errors") if isinstance(error, Mapping)), {})
    code, message = foreign.integer(error.get("code")), foreign.line_or_none(error.get("title"), 200)
    failed = state == "failed"
    return Report(remote_id, "failed" if failed else "delivered", code, message, failed and code == OUTSIDE_WINDOW)


# --- what is sent --------------------------------------------------------------------------------------------------


def url(base_url: str, path: str) -> str:
    """Return the address of a call."""
    return f"{base_url}/{GRAPH_VERSION}/{path}"


def message_body(recipient: Sender, reply: Reply) -> dict[str, Any]:
    """Return the body of the call that sends a reply."""
    body = _addressed(recipient)
    if reply.reply_to is not None:
        body["context"] = {"message_id": reply.reply_to}
    if not reply.buttons and not reply.rows:
        text = {"body": _cut(reply.text, TEXT_MAX), "preview_url": False}
        return body | {"type": "text", "text": text}
    interactive: dict[str, Any] = {"body": {"text": _cut(reply.text, BUTTON_TEXT_MAX)}}
    if reply.buttons:
        buttons = [
            {"type": "reply", "reply": {"id": option.id, "title": _cut(option.title, BUTTON_TITLE_MAX)}}
            for option in reply.buttons[:BUTTONS_MAX]
        ]
        interactive |= {"type": "button", "action": {"buttons": buttons}}
    else:
        rows = [{"id": option.id, "title": _cut(option.title, ROW_TITLE_MAX)} for option in reply.rows[:ROWS_MAX]]
        action = {"button": "Choose", "sections": [{"title": "Choose one", "rows": rows}]}
        interactive |= {"type": "list", "action": action}
    return body | {"type": "interactive", "interactive": interactive}


def template_body(recipient: Sender, text: str, *, name: str, language: str) -> dict[str, Any]:
    """Return the body of the call that sends a template with this parameter, which has no line breaks."""
    parameter = {"type": "text", "text": _cut(" ".join(text.split()), BUTTON_TEXT_MAX)}
    components = [{"type": "body", "parameters": [parameter]}]
    template = {"name": name, "language": {"code": language}, "components": components}
    return _addressed(recipient) | {"type": "template", "template": template}


def _addressed(recipient: Sender) -> dict[str, Any]:
    body: dict[str, Any] = {"messaging_product": "whatsapp", "recipient_type": "individual"}
    return body | ({"recipient": recipient.user_id} if recipient.phone is None else {"to": recipient.phone})


def _cut(text: str, length_max: int) -> str:
    return text if len(text) <= length_max else text[: length_max - 1] + "…"


def _json(response: Response) -> Any:
    try:
        return response.json()
    except BadResponse:
        return None


def number_of(response: Response) -> str | None:
    """Return the number that the API names, from an answer about its id; None: it is an error."""
    body = _json(response)
    number = body.get("display_phone_number") if response.status == 200 and isinstance(body, Mapping) else None
    return foreign.line_or_none(number, 50)


def why(response: Response) -> str:
    """Return what Meta says of an error."""
    body = _json(response)
    error = _part(body, "error") if isinstance(body, Mapping) else {}
    return foreign.line(error.get("message"), 200) or f"status {response.status}"


def send_result(response: Response) -> SendResult:
    """Return what a response to a message means. Only an error that says so proves that nothing was sent."""
    body = _json(response)
    if 200 <= response.status < 300:
        item = next(iter(_list(body, "messages")), None)
        remote_id = foreign.identifier(item.get("id")) if isinstance(item, Mapping) else None
        return Unknown("the response has no id") if remote_id is None else Sent(remote_id)
    error = _part(body, "error") if isinstance(body, Mapping) else {}
    code, reason = error.get("code"), foreign.line(error.get("message"), 200)
    if isinstance(code, int) and code in _RETRY_SECONDS:
        return TryAgain(_RETRY_SECONDS[code], reason)
    if response.status >= 500 or not isinstance(code, int):
        return Unknown(f"status {response.status}")
    return Refused(code, reason, late=code == OUTSIDE_WINDOW)
