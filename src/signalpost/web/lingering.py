"""Bodies that a response leaves unread are read and discarded, within bounds, before it and after it.

Closing early (after 401, 413, 422) with unread request bytes makes the kernel send RST, so a client that is still
sending never reads the response. A proxy that does not buffer, such as Caddy, does that to its client as soon as it has
a response: so that of a small body comes when it is here, as long as the client goes on sending it. That of a large one
comes at once: whoever sends an upload with a wrong key learns so after its first piece. Behind a proxy it waits too.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any

LINGER_SECONDS = 10.0
LINGER_BYTES_MAX = 250_000_000
AWAITED_BYTES_MAX = 1_000_000
"""So much of a body is read before the response to a client that is connected to us; through a proxy, all of it."""
_DIGITS_MAX = 15  # of a length
PAUSE_SECONDS = 2.0
"""A client that sends nothing for so long may be waiting for the response."""


class Lingering:
    """An ASGI application that reads the rest of every request body."""

    def __init__(self, app: Any, *, behind_proxy: bool = False) -> None:
        self._app = app
        self._awaited_bytes_max = LINGER_BYTES_MAX if behind_proxy else AWAITED_BYTES_MAX

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        """Respond when the body has ended, or as soon as the client pauses; then read what is left of it.

        A body that is too long to be awaited holds up no response.
        """
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            response: Awaitable[None] = self._app(scope, receive, send)
            return response
        return self._linger(scope, receive, send)

    async def _linger(self, scope: Any, receive: Any, send: Any) -> None:
        ended, is_sending = False, not _asks_first(scope)
        is_too_long = _is_longer(scope, self._awaited_bytes_max)

        async def watched() -> Any:
            nonlocal ended, is_sending
            is_sending = True
            message = await receive()
            ended = message["type"] != "http.request" or not message.get("more_body")
            return message

        async def respond(message: Any) -> None:
            if not ended and is_sending and not is_too_long and message["type"] == "http.response.start":
                await _discard(watched, PAUSE_SECONDS, self._awaited_bytes_max)
            await send(message)

        await self._app(scope, watched, respond)
        if not ended:
            await _discard(watched, LINGER_SECONDS, LINGER_BYTES_MAX)


def _asks_first(scope: Any) -> bool:
    """Whether the client sends its body only if it is asked to, which reading does: `Expect: 100-continue`."""
    return any(name == b"expect" for name, _ in scope["headers"])


def _is_longer(scope: Any, bytes_max: int) -> bool:
    """Whether the client announces more than that."""
    length: bytes = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return length.isdigit() and (len(length) > _DIGITS_MAX or int(length) > bytes_max)


async def _discard(receive: Any, pause_seconds: float, left: int) -> None:
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            while left > 0:
                async with asyncio.timeout(pause_seconds):
                    message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body"):
                    return
    except TimeoutError:
        return
