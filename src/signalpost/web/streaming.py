"""Bodies too large for memory, in both directions: handed on piece by piece."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from litestar import Request

from signalpost.kit import problems

STALL_SECONDS = 30
"""So long may a client send nothing in the middle of its body."""


class Stream:
    """Bytes of an answer that come piece by piece; `size` of them in all."""

    __slots__ = ("pieces", "size")

    def __init__(self, pieces: AsyncIterator[bytes], size: int) -> None:
        self.pieces = pieces
        self.size = size

    def __len__(self) -> int:
        return self.size


async def body_pieces(request: Request[Any, Any, Any]) -> AsyncIterator[bytes]:
    """Yield the request's body as it arrives. Who reads it bounds its size.

    Raises:
        Unavailable: the connection ended, or nothing came for `STALL_SECONDS`. A 503 on purpose: it may be sent again,
            and no idempotency key remembers it.
    """
    while True:
        try:
            async with asyncio.timeout(STALL_SECONDS):
                message: Any = await request.receive()
        except TimeoutError:
            raise problems.Unavailable(f"No byte of the body came for {STALL_SECONDS} seconds.") from None
        if message["type"] == "http.disconnect":
            raise problems.Unavailable("The connection ended before the whole body was sent.")
        if piece := message.get("body"):
            yield piece
        if not message.get("more_body"):
            return
