"""Request and response bodies that are too large for memory, read and written in pieces."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from signalpost.kit import clock, problems
from signalpost.web.request import Request

STALL_SECONDS = 30
"""How long a client may pause in the middle of its body."""
BYTES_PER_SECOND_MIN = 1_000
"""How fast a body has to arrive on average, after the first `STALL_SECONDS`."""


class Stream:
    """A response body in pieces; `size` is the number of bytes in all of them, None: nobody knows."""

    __slots__ = ("pieces", "size")

    def __init__(self, pieces: AsyncIterator[bytes], size: int | None) -> None:
        self.pieces = pieces
        self.size = size

    def __len__(self) -> int:
        return self.size or 0


async def body_pieces(request: Request) -> AsyncIterator[bytes]:
    """Yield the body of the request as it arrives. The caller limits its size.

    Raises:
        Unavailable: the connection ended, nothing arrived for `STALL_SECONDS`, or too little on average. It is a 503,
            so that the request can be sent again and no response is stored under its Idempotency-Key.
    """
    started, size = clock.monotonic(), 0
    while True:
        try:
            async with asyncio.timeout(STALL_SECONDS):
                message: Any = await request.receive()
        except TimeoutError:
            raise problems.Unavailable(f"No part of the body arrived for {STALL_SECONDS} seconds.") from None
        if message["type"] == "http.disconnect":
            raise problems.Unavailable("The connection was closed before the whole body arrived.")
        if piece := message.get("body"):
            size += len(piece)
            yield piece
        if not message.get("more_body"):
            return
        seconds = clock.monotonic() - started
        if seconds > STALL_SECONDS and size < BYTES_PER_SECOND_MIN * seconds:
            raise problems.Unavailable(f"The body arrived at less than {BYTES_PER_SECOND_MIN} bytes a second.")
