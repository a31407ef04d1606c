"""What a client still sends after its answer is read and thrown away, for a while.

Who answers early (401, 413, 422) and closes with bytes unread makes the kernel reset the connection, and a client that
sends first and reads then never sees the answer.
"""

import asyncio
from typing import Any

LINGER_SECONDS = 10.0
LINGER_BYTES_MAX = 250_000_000


class Lingering:
    """An application that takes in the rest of every body, within bounds."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, then see the body to its end if nobody did."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        ended = False

        async def watched() -> Any:
            nonlocal ended
            message = await receive()
            ended = message["type"] != "http.request" or not message.get("more_body")
            return message

        await self._app(scope, watched, send)
        left = LINGER_BYTES_MAX
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while not ended and left > 0:
                    message = await watched()
                    left -= len(message.get("body", b""))
        except TimeoutError:
            return
