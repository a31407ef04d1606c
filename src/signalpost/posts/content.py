"""What goes to one account: the post with its target's overrides, as connectors take it, and its fingerprint. Pure."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from signalpost.networks.contract import Outgoing, OutgoingMedia, Part, PreflightIssue

_SPACE = re.compile(r"\s+")


class Content(Struct, frozen=True):
    """A text with everything that belongs to it. `media` are `MediaRef`s as JSON, `options` those of one platform."""

    title: str | None
    text: str
    media: Sequence[Mapping[str, Any]]
    link: str | None
    thread: Sequence[Mapping[str, Any]]
    first_comment: str | None
    options: Mapping[str, Any]

    def media_ids(self) -> list[str]:
        """Return the id of every file, those of the thread included."""
        parts = [self.media, *(part["media"] for part in self.thread)]
        return [media["mediaId"] for part in parts for media in part]


def for_target(post: Any, target: Any) -> Content:
    """Return what the target's account gets. Takes rows (`PostRow`, `TargetRow`) or anything with their fields."""
    return Content(
        post.title if target.title is None else target.title,
        post.text if target.text is None else target.text,
        post.media if target.media is None else target.media,
        post.link,
        post.thread,
        post.first_comment,
        {**post.options.get(target.platform, {}), **(target.options or {})},
    )


def outgoing(
    content: Content,
    files: Mapping[str, OutgoingMedia],
    *,
    dedupe_key: str,
    created_at: datetime,
    attempt: int = 1,
) -> Outgoing:
    """Return the content as a connector takes it; files that are missing in `files` (by media id) are left out."""
    thread = [Part(text=part["text"], media=_files(part["media"], files)) for part in content.thread]
    return Outgoing(
        dedupe_key=dedupe_key,
        parts=(Part(text=content.text, media=_files(content.media, files)), *thread),
        title=content.title,
        link=content.link,
        first_comment=content.first_comment,
        options=content.options,
        created_at=created_at,
        attempt=attempt,
    )


def _files(wished: Sequence[Mapping[str, Any]], files: Mapping[str, OutgoingMedia]) -> tuple[OutgoingMedia, ...]:
    found = []
    for media in wished:
        file = files.get(media["mediaId"])
        if file is not None:
            found.append(file if media["altText"] is None else _with_alt_text(file, media["altText"]))
    return tuple(found)


def _with_alt_text(file: OutgoingMedia, text: str) -> OutgoingMedia:
    return OutgoingMedia(
        kind=file.kind, mime_type=file.mime_type, size_bytes=file.size_bytes, sha256=file.sha256, width=file.width,
        height=file.height, duration_ms=file.duration_ms, alt_text=text, file_name=file.file_name, read=file.read,
    )  # fmt: skip


def content_hash(account_id: UUID, content: Content, checksums: Mapping[str, bytes]) -> bytes:
    """Return what makes two posts on an account the same one: texts (spaces and composition aside) and files."""
    digest = hashlib.sha256(account_id.bytes)
    for text, media in ((content.text, content.media), *((part["text"], part["media"]) for part in content.thread)):
        normal = _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip().encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(normal), normal))
        for entry in media:
            digest.update(checksums.get(entry["mediaId"], b""))
    return digest.digest()


def place(finding: PreflightIssue, index: int | None, platform: str, overridden: Sequence[str]) -> str:
    """Return where in the body of the request a finding about a target stands.

    Args:
        finding: its path points into the target's content.
        index: of the target in `targets`; None when the body named `platforms`.
        platform: the target's.
        overridden: fields that the target has of its own.
    """
    area, _, rest = finding.path.lstrip("/").partition("/")
    if index is not None and area == "options" and rest.partition("/")[0] in overridden:
        return f"/targets/{index}{finding.path}"
    if area == "options":
        return f"/options/{platform}" + (f"/{rest}" if rest else "")
    return f"/targets/{index}{finding.path}" if index is not None and area in overridden else finding.path
