"""A part of a post as a message of Discord: its members, and its files in the form that carries both."""

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.discord.calls import is_webhook
from signalpost.networks.connectors.discord.facts import FACTS, Embed, Poll
from signalpost.networks.contract import OutgoingMedia
from signalpost.networks.preflight import text_of_part
from signalpost.networks.threads import ThreadPart

_SUPPRESS_EMBEDS, _SUPPRESS_NOTIFICATIONS = 1 << 2, 1 << 12
_SPOILER: Final = "SPOILER_"


def message_of(part: ThreadPart) -> dict[str, Any]:
    """Return the members of a message, without those of bots alone and those of threads."""
    options = part.outgoing.options
    message: dict[str, Any] = {"allowed_mentions": {"parse": list(options.get("mentions") or ())}}
    if text := text_of_part(FACTS, part.outgoing, part.index):
        message["content"] = text
    if flags := _flags(options):
        message["flags"] = flags
    if files := part.content.media:
        message["attachments"] = [_attachment(index, media, options) for index, media in enumerate(files)]
    if is_webhook(part.session):
        names = {"username": "username", "avatarUrl": "avatar_url"}
        message |= {name: options[option] for option, name in names.items() if options.get(option)}
    return message if part.index > 0 else message | _of_the_first(options)


def _flags(options: Mapping[str, Any]) -> int:
    embeds = _SUPPRESS_EMBEDS if options.get("suppressEmbeds") else 0
    return embeds | (_SUPPRESS_NOTIFICATIONS if options.get("silent") else 0)


def _of_the_first(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what only the first message of a post has."""
    members: dict[str, Any] = {}
    if options.get("poll") is not None:
        poll = msgspec.convert(options["poll"], Poll)
        members["poll"] = {
            "question": {"text": poll.question},
            "answers": [{"poll_media": {"text": text}} for text in poll.answers],
            "duration": poll.hours,
            "allow_multiselect": poll.multiple,
            "layout_type": 1,
        }
    if options.get("embeds"):
        members["embeds"] = [_embed(embed) for embed in msgspec.convert(options["embeds"], list[Embed])]
    return members


def _embed(embed: Embed) -> dict[str, Any]:
    values = {
        "title": embed.title,
        "description": embed.description,
        "url": embed.url,
        "color": int(embed.color[1:], 16) if embed.color else None,
        "image": {"url": embed.image_url} if embed.image_url else None,
        "footer": {"text": embed.footer} if embed.footer else None,
    }
    return {"type": "rich", **{name: value for name, value in values.items() if value not in (None, "")}}


def _attachment(index: int, media: OutgoingMedia, options: Mapping[str, Any]) -> dict[str, Any]:
    attachment: dict[str, Any] = {"id": index, "filename": _file_name(media, options)}
    return {**attachment, "description": media.alt_text} if media.alt_text else attachment


def _file_name(media: OutgoingMedia, options: Mapping[str, Any]) -> str:
    return f"{_SPOILER}{media.file_name}" if options.get("spoiler") else media.file_name


def body_of(part: ThreadPart, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a payload is sent: as JSON, or in a form with the files of the part."""
    files = part.content.media
    if not files:
        return {"json": payload}
    form = [FormPart("payload_json", json.dumps(payload))]
    for index, media in enumerate(files):
        name = _file_name(media, part.outgoing.options)
        form.append(FormPart(f"files[{index}]", media.read(), name, media.mime_type, media.size_bytes))
    return {"data": form}
