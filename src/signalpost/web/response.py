"""The ASGI response of the service, and problems rendered as one."""

import asyncio
import gzip
from collections.abc import AsyncGenerator, Awaitable, Callable
from copy import copy
from typing import Any

from msgspec import json

from signalpost.kit.problems import Problem, problem_document
from signalpost.web.streaming import Stream

Headers = list[tuple[bytes, bytes]]
SEND_SECONDS = 30.0
"""How long a client may take to accept a piece of a body without an end."""
PROBLEM_HEADER = (b"content-type", b"application/problem+json")
_JSON = (b"application/json", PROBLEM_HEADER[1])
_INDENTED_BYTES_MAX = 65_536
_COMPRESSED_BYTES = range(1_000, 2_000_000)
"""Below, nothing is gained; above, compressing would hold up other requests for more than some milliseconds."""
_encode = json.Encoder().encode

_BASE: Headers = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Response:
    """Status, headers and body, sent in two ASGI messages; a streamed body in one message per piece."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self, status: int, body: bytes | Stream, headers: Headers, media_type: bytes = b"application/json"
    ) -> None:
        self.status = status
        self.body = body
        self.headers = [*_BASE, *headers]
        if status not in (204, 304):
            self.headers.append((b"content-type", media_type))
            if not isinstance(body, Stream) or body.size is not None:
                self.headers.append((b"content-length", b"%d" % len(body)))

    async def send(self, send: Callable[[Any], Awaitable[None]], request_id: str, *, head: bool) -> None:
        """Send the response; without its body for a HEAD request. A cached response is sent more than once."""
        headers = [*self.headers, (b"x-request-id", request_id.encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        body = b"" if head else self.body
        if isinstance(body, Stream):
            await _send_pieces(send, body)
            body = b""
        await send({"type": "http.response.body", "body": body, "more_body": False})


async def _send_pieces(send: Callable[[Any], Awaitable[None]], body: Stream) -> None:
    """Send a body piece by piece; a client that takes none for a while gets no more of a body without an end."""
    pieces = body.pieces
    try:
        async for piece in pieces:
            async with asyncio.timeout(SEND_SECONDS if body.size is None else None):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()


def indented(response: Response) -> Response:
    """Return a copy whose JSON has a line for each member, unless that is much text; other responses as they are."""
    body, media_type = response.body, dict(response.headers).get(b"content-type")
    if isinstance(body, Stream) or len(body) > _INDENTED_BYTES_MAX or media_type not in _JSON:
        return response
    return _with_body(response, json.format(body, indent=2) + b"\n")


def compressed(response: Response) -> Response:
    """Return a copy whose JSON is compressed with gzip, if it is long enough; other responses as they are."""
    body, media_type = response.body, dict(response.headers).get(b"content-type")
    if isinstance(body, Stream) or len(body) not in _COMPRESSED_BYTES or media_type not in _JSON:
        return response
    copied = _with_body(response, gzip.compress(body, compresslevel=1, mtime=0))
    copied.headers.append((b"content-encoding", b"gzip"))
    return copied


def _with_body(response: Response, body: bytes) -> Response:
    copied = copy(response)
    copied.body = body
    length = b"%d" % len(body)
    copied.headers = [(name, length if name == b"content-length" else value) for name, value in response.headers]
    return copied


def problem_response(problem: Problem, path: str, base_url: str, headers: Headers) -> Response:
    """Render a problem as application/problem+json."""
    extra = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in problem.headers.items()]
    sent = {name for name, _ in extra}
    body = _encode(problem_document(problem, path, base_url))
    return Response(
        problem.status, body, [*(header for header in headers if header[0] not in sent), *extra], PROBLEM_HEADER[1]
    )
