"""Request bodies and headers as callers pass them."""

from collections.abc import AsyncIterable, Mapping, Sequence
from dataclasses import dataclass, field

from signalpost.kit.http.errors import NotSent


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a multipart/form-data body."""

    name: str
    content: bytes | str | AsyncIterable[bytes] = field(repr=False)
    #: Makes it a file part.
    filename: str | None = None
    content_type: str | None = None
    #: Bytes of a streamed `content`. If all sizes are known, the body has a length, which some servers require.
    size: int | None = None


RequestBody = bytes | AsyncIterable[bytes] | Mapping[str, str] | Sequence[Part]


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Refuse headers that could start a new header line, before a connection is used for them.

    Raises:
        NotSent: a name or value contains a control character.
    """
    for name, value in headers.items():
        if not (name.isascii() and name.isprintable() and value.replace("\t", " ").isprintable()):
            raise NotSent(f"the header {name[:40]!r} contains a control character", stage="url")
    return headers
