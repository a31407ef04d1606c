"""What is sent for a part of a post: the method, and its parameters once the chat is known."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.telegram.calls import CALL_SECONDS
from signalpost.networks.connectors.telegram.facts import FACTS, Poll
from signalpost.networks.contract import OutgoingMedia
from signalpost.networks.preflight import text_of_part
from signalpost.networks.threads import ThreadPart

UPLOAD_SECONDS = 220.0
_TYPES = {"image": "photo", "video": "video", "gif": "animation", "document": "document", "audio": "audio"}


class Message(msgspec.Struct, frozen=True):
    """A call that sends: `request` returns what it carries, for the chat with this id."""

    method: str
    request: Callable[[str], Mapping[str, Any]]
    seconds: float = CALL_SECONDS


def message_of(part: ThreadPart) -> Message:
    """Return the call that publishes a part."""
    files, options = part.content.media, part.outgoing.options
    if part.index == 0 and options.get("poll") is not None:
        return _plain(part, "sendPoll", _poll(part, msgspec.convert(options["poll"], Poll)))
    if not files:
        return _plain(part, "sendMessage", {"text": _text(part), **_parse_mode(part), **_preview(options)})
    if len(files) == 1:
        (file,) = files
        name = _TYPES[file.kind]
        values = {**_beside(part), **_described(part, file, caption=True)}
        return _form(f"send{name.title()}", values, [(name, file)])
    names = [f"file{index}" for index in range(len(files))]
    items = [
        {"type": _TYPES[file.kind], "media": f"attach://{name}", **_described(part, file, caption=index == 0)}
        for index, (name, file) in enumerate(zip(names, files, strict=True))
    ]
    return _form("sendMediaGroup", {**_beside(part), "media": items}, list(zip(names, files, strict=True)))


def _plain(part: ThreadPart, method: str, values: Mapping[str, Any]) -> Message:
    return Message(method, lambda chat_id: {"json": {"chat_id": chat_id, **_beside(part), **values}})


def _form(method: str, values: Mapping[str, Any], files: Sequence[tuple[str, OutgoingMedia]]) -> Message:
    def request(chat_id: str) -> Mapping[str, Any]:
        texts = {"chat_id": chat_id, **{name: _as_text(value) for name, value in values.items()}}
        parts = [FormPart(name, value) for name, value in texts.items()]
        parts += [
            FormPart(name, file.read(), filename=file.file_name, content_type=file.mime_type, size=file.size_bytes)
            for name, file in files
        ]
        return {"data": parts}

    return Message(method, request, UPLOAD_SECONDS)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _beside(part: ThreadPart) -> dict[str, Any]:
    """Return what stands beside the content of every message."""
    options = part.outgoing.options
    values: dict[str, Any] = {}
    if (topic := options.get("topicId")) is not None:
        values["message_thread_id"] = topic
    if options.get("silent"):
        values["disable_notification"] = True
    if options.get("protect"):
        values["protect_content"] = True
    if part.parent is not None:  # an album is replied to by its first message
        values["reply_parameters"] = {"message_id": int(part.parent["id"].partition(",")[0])}
    return values


def _text(part: ThreadPart) -> str:
    return text_of_part(FACTS, part.outgoing, part.index)


def _parse_mode(part: ThreadPart) -> dict[str, Any]:
    mode = part.outgoing.options.get("parseMode")
    return {} if mode is None else {"parse_mode": mode}


def _preview(options: Mapping[str, Any]) -> dict[str, Any]:
    size, url = options.get("linkPreview"), options.get("linkPreviewUrl")
    if size == "off":
        return {"link_preview_options": {"is_disabled": True}}
    preview: dict[str, Any] = {} if size is None else {f"prefer_{size}_media": True}
    if url is not None:
        preview["url"] = url
    if options.get("linkPreviewAbove"):
        preview["show_above_text"] = True
    return {"link_preview_options": preview} if preview else {}


def _described(part: ThreadPart, file: OutgoingMedia, *, caption: bool) -> dict[str, Any]:
    """Return the members of a file; without width, height and duration, clients show a video distorted."""
    options, text = part.outgoing.options, _text(part)
    values: dict[str, Any] = {"caption": text, **_parse_mode(part)} if caption and text else {}
    if file.kind in {"image", "video", "gif"}:
        values |= {"has_spoiler": True} if options.get("spoiler") else {}
        values |= {"show_caption_above_media": True} if options.get("captionAbove") else {}
    if file.kind in {"video", "gif"} and file.width and file.height:
        values |= {"width": file.width, "height": file.height}
    if file.kind in {"video", "gif", "audio"} and file.duration_ms:
        values["duration"] = math.ceil(file.duration_ms / 1000)
    return values | ({"supports_streaming": True} if file.kind == "video" else {})


def _poll(part: ThreadPart, poll: Poll) -> dict[str, Any]:
    values: dict[str, Any] = {
        "question": _text(part),
        "options": [{"text": option} for option in poll.options],
        "is_anonymous": poll.anonymous,
    }
    if poll.multiple:
        values["allows_multiple_answers"] = True
    if poll.minutes is not None:
        values["open_period"] = poll.minutes * 60
    if poll.correct is not None:
        values |= {"type": "quiz", "correct_option_ids": [poll.correct]}
        values |= {"explanation": poll.explanation} if poll.explanation else {}
    return values
