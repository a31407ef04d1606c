"""What one account gets: the post with its target's overrides, as connectors take it, and its fingerprint. Pure."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Protocol
from uuid import UUID

from msgspec import Struct, structs

from signalpost.kit.unicode import nfc
from signalpost.networks.contract import Outgoing, OutgoingMedia, Part, PreflightIssue
from signalpost.posts.documents import MediaRef, ThreadPart, Utm
from signalpost.posts.tracking import tracked_link, tracked_text

_SPACE = re.compile(r"\s+")


class Content(Struct, frozen=True):
    """A text with everything that belongs to it. `options` are those of one platform."""

    title: str | None
    text: str
    media: Sequence[MediaRef]
    link: str | None
    thread: Sequence[ThreadPart]
    first_comment: str | None
    options: Mapping[str, Any]

    def media_ids(self) -> list[UUID]:
        """Return the id of every file, those of the thread included."""
        return [ref.media_id for ref in self._refs()]

    def crops(self, platform: str) -> dict[UUID, tuple[float, float, float, float]]:
        """Return what the network gets of each picture of which it gets a part."""
        chosen = ((ref.media_id, ref.crops[platform]) for ref in self._refs() if platform in ref.crops)
        return {media_id: (crop.x, crop.y, crop.width, crop.height) for media_id, crop in chosen}

    def thumbnail_ids(self) -> list[UUID]:
        """Return the id of every picture that stands for a video."""
        return [ref.thumbnail_media_id for ref in self._refs() if ref.thumbnail_media_id is not None]

    def _refs(self) -> Iterator[MediaRef]:
        return (ref for refs in (self.media, *(part.media for part in self.thread)) for ref in refs)


class HasContent(Protocol):
    """A post, as a row or as anything else with a content."""

    @property
    def title(self) -> str | None: ...
    @property
    def text(self) -> str: ...
    @property
    def media(self) -> Sequence[MediaRef]: ...
    @property
    def link(self) -> str | None: ...
    @property
    def thread(self) -> Sequence[ThreadPart]: ...
    @property
    def first_comment(self) -> str | None: ...
    @property
    def utm(self) -> Utm | None: ...
    @property
    def options(self) -> Mapping[str, Mapping[str, Any]]: ...


class HasOverrides(Protocol):
    """A target, as a row or as anything else that overrides the content of its post."""

    @property
    def platform(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def text(self) -> str | None: ...
    @property
    def media(self) -> Sequence[MediaRef] | None: ...
    @property
    def options(self) -> Mapping[str, Any] | None: ...


def for_target(post: HasContent, target: HasOverrides) -> Content:
    """Return what the target's account gets."""
    content = Content(
        title=post.title if target.title is None else target.title,
        text=post.text if target.text is None else target.text,
        media=post.media if target.media is None else target.media,
        link=post.link,
        thread=post.thread,
        first_comment=post.first_comment,
        options={**post.options.get(target.platform, {}), **(target.options or {})},
    )
    return content if post.utm is None else _tracked(content, post.utm, target.platform)


def _tracked(content: Content, utm: Utm, platform: str) -> Content:
    """Return the content with campaign parameters on its links."""
    return structs.replace(
        content,
        text=tracked_text(content.text, utm, platform),
        link=None if content.link is None else tracked_link(content.link, utm, platform),
        thread=[structs.replace(part, text=tracked_text(part.text, utm, platform)) for part in content.thread],
        first_comment=content.first_comment and tracked_text(content.first_comment, utm, platform),
    )


def outgoing(
    content: Content, files: Mapping[UUID, OutgoingMedia], *, dedupe_key: str, created_at: datetime, attempt: int = 1
) -> Outgoing:
    """Return the content as a connector takes it. Media that are missing in `files` (by media id) are left out."""
    thread = [Part(text=part.text, media=_files(part.media, files)) for part in content.thread]
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


def _files(refs: Sequence[MediaRef], files: Mapping[UUID, OutgoingMedia]) -> tuple[OutgoingMedia, ...]:
    return tuple(_of(ref, file, files) for ref in refs if (file := files.get(ref.media_id)) is not None)


def _of(ref: MediaRef, file: OutgoingMedia, files: Mapping[UUID, OutgoingMedia]) -> OutgoingMedia:
    """Return a file with what this post says about it."""
    if ref.alt_text is not None:
        file = replace(file, alt_text=ref.alt_text)
    thumbnail = None if ref.thumbnail_media_id is None else files.get(ref.thumbnail_media_id)
    return file if thumbnail is None else replace(file, thumbnail=thumbnail)


@lru_cache(maxsize=128)
def _normal(text: str) -> bytes:
    """Return the text as it is compared; kept, since all accounts of a post usually get the same."""
    return _SPACE.sub(" ", nfc(text)).strip().encode("utf-8", "surrogatepass")


def normal_form(content: Content, checksums: Mapping[UUID, bytes]) -> bytes:
    """Return what makes two posts equal: texts (spaces and composition aside) and files."""
    parts = []
    for text, media in ((content.text, content.media), *((part.text, part.media) for part in content.thread)):
        normal = _normal(text)
        parts.append(b"%d:%b" % (len(normal), normal))
        parts += [checksums.get(ref.media_id, b"") for ref in media]
    return b"".join(parts)


def content_hash(account_id: UUID, normal: bytes) -> bytes:
    """Return what makes two posts on an account equal. `normal`: the `normal_form` of what the account gets."""
    return hashlib.sha256(account_id.bytes + normal).digest()


def pointer(issue: PreflightIssue, index: int | None, platform: str, overridden: Sequence[str]) -> str:
    """Return where in the body of the request an issue of a target stands, as a JSON pointer.

    Args:
        issue: its path points into the target's content.
        index: of the target in `targets`; None if the body names `platforms`.
        platform: the target's.
        overridden: fields that the target overrides.
    """
    area, _, rest = issue.path.lstrip("/").partition("/")
    if index is not None and area == "options" and rest.partition("/")[0] in overridden:
        return f"/targets/{index}{issue.path}"
    if area == "options":
        return f"/options/{platform}" + (f"/{rest}" if rest else "")
    return f"/targets/{index}{issue.path}" if index is not None and area in overridden else issue.path
