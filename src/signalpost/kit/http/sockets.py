"""A WebSocket that stays open: its texts are read one at a time, and answered."""

from typing import Any

import aiohttp
import msgspec

from signalpost.kit.clock import monotonic
from signalpost.kit.http.errors import MaybeSent

HEARTBEAT_SECONDS = 20.0
"""A connection whose other end does not answer a ping within half of this is closed."""


class Socket:
    """An open WebSocket. Whoever opened it closes it; one task at a time reads."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse[Any], host: str) -> None:
        self._socket = socket
        self._host = host

    @property
    def is_open(self) -> bool:
        """Whether neither end has closed it, as far as is known."""
        return not self._socket.closed

    async def receive(self, seconds: float) -> bytes | None:
        """Return the next text; None: none came within this time, or the connection has ended. See `is_open`."""
        deadline = monotonic() + seconds
        while (left := deadline - monotonic()) > 0 and self.is_open:
            try:
                message = await self._socket.receive(timeout=left)
            except TimeoutError:
                return None
            if message.type is aiohttp.WSMsgType.TEXT:
                text: bytes = message.data
                return text
            if message.type is not aiohttp.WSMsgType.BINARY:  # the end, or what is no WebSocket
                await self.close()
        return None

    async def send(self, message: Any) -> None:
        """Send a value as a text of JSON.

        Raises:
            MaybeSent: the connection has ended.
        """
        try:
            await self._socket.send_str(msgspec.json.encode(message).decode())
        except (aiohttp.ClientError, OSError):
            raise MaybeSent(f"{self._host} has closed the connection") from None

    async def close(self) -> None:
        """Close the connection; closing it again changes nothing."""
        await self._socket.close()
