"""Lingering close: what a client sends after its response is read and discarded, within bounds.

Closing early (after 401, 413, 422) with unread request bytes makes the kernel send RST, so a client that is still
sending never reads the response.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any

LINGER_SECONDS = 10.0
LINGER_BYTES_MAX = 250_000_000


class Lingering:
    """An ASGI application that reads the rest of every request body."""

    def __init__(self, app: Any) -> None:
        self._app = app

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        """Respond, then read the body to its end if the application did not."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            response: Awaitable[None] = self._app(scope, receive, send)
            return response
        return self._linger(scope, receive, send)

    async def _linger(self, scope: Any, receive: Any, send: Any) -> None:
        ended = False

        async def watched() -> Any:
            nonlocal ended
            message = await receive()
            ended = message["type"] != "http.request" or not message.get("more_body")
            return message

        await self._app(scope, watched, send)
        if not ended:
            await _discard(receive)


async def _discard(receive: Any) -> None:
    left = LINGER_BYTES_MAX
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body"):
                    return
    except TimeoutError:
        return
