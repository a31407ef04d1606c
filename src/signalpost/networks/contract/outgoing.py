"""The post that a connector publishes."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from signalpost.networks.contract.facts import Kind


@dataclass(frozen=True, kw_only=True)
class OutgoingMedia:
    """One file of a post; `read()` streams its bytes anew at each call."""

    kind: Kind
    mime_type: str
    size_bytes: int
    sha256: bytes
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    alt_text: str | None = None
    file_name: str = "file"
    read: Callable[[], AsyncIterator[bytes]]

    async def bytes(self) -> bytes:
        """Return the whole file; for networks that take it in one piece."""
        return b"".join([chunk async for chunk in self.read()])


@dataclass(frozen=True, kw_only=True)
class Part:
    """One post of a thread; the first one is the post itself."""

    text: str
    media: tuple[OutgoingMedia, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """A post as one account shall get it. `parts[0]` is the post, the rest its thread, never empty.

    `dedupe_key` is the same over all attempts at this target and different for a deliberate "post again".
    """

    dedupe_key: str
    parts: tuple[Part, ...]
    title: str | None = None
    link: str | None = None
    first_comment: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime
    attempt: int = 1

    @property
    def text(self) -> str:
        return self.parts[0].text

    @property
    def media(self) -> tuple[OutgoingMedia, ...]:
        return self.parts[0].media
