"""Request bodies in the forms that aiohttp takes."""

from collections.abc import AsyncIterable, AsyncIterator, Mapping
from urllib.parse import urlencode

import aiohttp
from aiohttp.payload import AsyncIterablePayload, BytesPayload, Payload

from signalpost.kit.http.bodies import Part, RequestBody

_PIECE_BYTES = 256 * 1024
_IN_ONE_PIECE_BYTES_MAX = 1024 * 1024  # more would block the loop while it is copied to the socket


def as_payload(body: RequestBody) -> Payload | AsyncIterable[bytes] | aiohttp.MultipartWriter:
    """Convert bytes, a stream, a form (mapping) or multipart fields (parts) to what aiohttp sends."""
    match body:
        case bytes():
            return _bytes_payload(body, "application/octet-stream")
        case AsyncIterable():
            return body
        case Mapping():
            return _bytes_payload(urlencode(body).encode(), "application/x-www-form-urlencoded")
        case _:
            writer = aiohttp.MultipartWriter("form-data")
            for part in body:
                writer.append_payload(_part_payload(part))
            return writer


def json_payload(encoded: bytes) -> Payload:
    return _bytes_payload(encoded, "application/json")


class _SizedStream(AsyncIterablePayload):
    """A stream whose length is known beforehand."""

    def __init__(self, content: AsyncIterable[bytes], size: int | None, content_type: str) -> None:
        super().__init__(content, content_type=content_type)
        self._size = size


def _bytes_payload(content: bytes, content_type: str) -> Payload:
    if len(content) > _IN_ONE_PIECE_BYTES_MAX:
        return _SizedStream(_in_pieces(content), len(content), content_type)
    return BytesPayload(content, content_type=content_type)


async def _in_pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), _PIECE_BYTES):
        yield content[start : start + _PIECE_BYTES]


def _part_payload(part: Part) -> Payload:
    content, content_type = part.content, part.content_type
    payload: Payload
    if isinstance(content, str):
        payload = _bytes_payload(content.encode(), content_type or "text/plain; charset=utf-8")
    elif isinstance(content, bytes):
        payload = _bytes_payload(content, content_type or "application/octet-stream")
    else:
        payload = _SizedStream(content, part.size, content_type or "application/octet-stream")
    names = {"name": part.name} if part.filename is None else {"name": part.name, "filename": part.filename}
    payload.set_content_disposition("form-data", quote_fields=True, **names)
    return payload
