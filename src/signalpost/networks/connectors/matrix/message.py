"""A part of a post as messages of Matrix: one of its text, or one for each file, the first of which has the text."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from signalpost.networks.connectors.matrix.facts import FACTS
from signalpost.networks.connectors.matrix.markdown import html_of
from signalpost.networks.contract import Outgoing, OutgoingMedia
from signalpost.networks.preflight import text_of_part
from signalpost.networks.threads import ThreadPart

KEY: Final = "dev.signalpost.key"
_TYPES: Final = {"image": "m.image", "gif": "m.image", "video": "m.video", "audio": "m.audio", "document": "m.file"}
UPLOADED: Final = "mxc://server/not-yet-uploaded"


def key_of(dedupe_key: str, index: int, number: int) -> str:
    """Return what names a message: the same at every attempt."""
    return hashlib.sha256(f"{dedupe_key}:{index}:{number}".encode()).hexdigest()[:32]


def count_of(part: ThreadPart) -> int:
    """Return how many messages a part is."""
    return max(1, len(part.content.media))


def contents_of(part: ThreadPart, files: Sequence[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield the messages of a part. `files` are the addresses of its files, with those of thumbnails."""
    for number, content in enumerate(bare_contents(part.outgoing, part.index, files)):
        content[KEY] = key_of(part.outgoing.dedupe_key, part.index, number)
        if part.posted:
            root, parent = _first(part.posted[0]["id"]), _last(part.posted[-1]["id"])
            content["m.relates_to"] = {
                "rel_type": "m.thread", "event_id": root, "is_falling_back": True,
                "m.in_reply_to": {"event_id": parent},
            }  # fmt: skip
        yield content


def _first(ids: str) -> str:
    return ids.partition(",")[0]


def _last(ids: str) -> str:
    return ids.rpartition(",")[2]


def bare_contents(outgoing: Outgoing, index: int, files: Sequence[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield the messages of a part without what joins them to others."""
    text, media = text_of_part(FACTS, outgoing, index), outgoing.parts[index].media
    is_notice = outgoing.options.get("notice") is True
    if not media:
        yield {
            "msgtype": "m.notice" if is_notice else "m.text",
            **_formatted(text, outgoing.options),
            **_quiet(outgoing),
        }
    for number, (file, addresses) in enumerate(zip(media, files, strict=True)):
        caption = _formatted(text, outgoing.options) if number == 0 and text else {"body": file.file_name}
        quiet = _quiet(outgoing) if number == 0 else {"m.mentions": {}}
        yield {
            "msgtype": _TYPES[file.kind], "url": addresses["url"], "filename": file.file_name, **caption, **quiet,
            "info": _info(file, addresses),
        }  # fmt: skip


def _formatted(text: str, options: Mapping[str, Any]) -> dict[str, Any]:
    if not options.get("markdown"):
        return {"body": text}
    return {"body": text, "format": "org.matrix.custom.html", "formatted_body": html_of(text)}


def _quiet(outgoing: Outgoing) -> dict[str, Any]:
    """Return whom a message notifies: without this, whoever is named in its text may be."""
    return {"m.mentions": {"room": True} if outgoing.options.get("mentionRoom") else {}}


def _info(file: OutgoingMedia, addresses: Mapping[str, str]) -> dict[str, Any]:
    info: dict[str, Any] = {"mimetype": file.mime_type, "size": file.size_bytes, **_sides(file)}
    if file.kind in {"video", "audio"} and file.duration_ms:
        info["duration"] = file.duration_ms
    if file.thumbnail is not None and "thumbnail" in addresses:
        thumbnail = file.thumbnail
        info["thumbnail_url"] = addresses["thumbnail"]
        info["thumbnail_info"] = {
            "mimetype": thumbnail.mime_type, "size": thumbnail.size_bytes, **_sides(thumbnail),
        }  # fmt: skip
    return info


def _sides(file: OutgoingMedia) -> dict[str, int]:
    return {"w": file.width, "h": file.height} if file.width and file.height else {}
