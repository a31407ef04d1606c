"""The post that a connector publishes."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from signalpost.networks.contract.facts import Kind


@dataclass(frozen=True, kw_only=True)
class OutgoingMedia:
    """One file of a post, as it was uploaded; width, height and duration_ms are None where they are not known."""

    kind: Kind
    mime_type: str
    size_bytes: int
    sha256: bytes  # of the content; networks such as Nostr name files by it
    width: int | None = None  # pixels
    height: int | None = None  # pixels
    duration_ms: int | None = None
    fps: float | None = None
    video_codec: str | None = None  # as FFmpeg calls it; None: it has none, or nobody knows
    audio_codec: str | None = None
    alt_text: str | None = None
    file_name: str = "file"
    is_animation: bool = False  # a video that was made of an animated GIF, by `Facts.gif_as_video`
    read: Callable[[], AsyncIterator[bytes]]  # streams the content from its beginning, at each call
    url: Callable[[], str] | None = None
    """Signs an address from which the network can download the file for an hour; None: it cannot reach this service."""
    crop: tuple[float, float, float, float] | None = None
    """What a person chose of an image, before it is cut: left, top, width and height, as shares of the whole."""
    focal: tuple[float, float] | None = None  # what must not be cut off, from the left and the top; None: the middle
    thumbnail: "OutgoingMedia | None" = (
        None  # the picture to show for a video, if the network takes one: `Facts.thumbnail`
    )

    async def bytes(self) -> bytes:
        """Return the whole content; for networks that take a file in one piece."""
        return b"".join([chunk async for chunk in self.read()])


@dataclass(frozen=True, kw_only=True)
class Part:
    """One post of a thread."""

    text: str
    media: tuple[OutgoingMedia, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """A post with the content and options of one account."""

    parts: tuple[Part, ...]  # the post itself and then the rest of its thread; never empty
    title: str | None = None
    link: str | None = None
    first_comment: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # by the names of `Facts.options`
    dedupe_key: str  # the same at every attempt at this target; another one when a user posts it again on purpose
    created_at: datetime  # of the post, so the same at every attempt
    attempt: int = 1  # counts from 1

    @property
    def text(self) -> str:
        return self.parts[0].text

    @property
    def media(self) -> tuple[OutgoingMedia, ...]:
        return self.parts[0].media
