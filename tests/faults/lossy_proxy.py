"""An HTTP proxy before one server that loses some requests and answers; the server closes each connection itself."""

import asyncio
import random
import re
from contextlib import suppress
from typing import Self

from tests.counterparts.tools import free_port


class LossyProxy:
    """Forwards to `port` of this machine once that is set. Of calls whose begin matches, it loses `share`.

    Of these, every other one arrives and its answer is lost; the rest never arrive.
    """

    def __init__(self, calls: str, *, share: float, seed: int, port: int = 0) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.port = port
        self.lost_answers = self.lost_requests = 0
        self._calls, self._share, self._random = re.compile(calls.encode()), share, random.Random(seed)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", int(self.url.rpartition(":")[2]))
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._forward(await _request(reader), writer)
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _forward(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        loses = self._calls.match(request) is not None and self._random.random() < self._share
        if loses and self.lost_requests < self.lost_answers:
            self.lost_requests += 1
            return
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            to_server.write(request)
            await to_server.drain()
            answer = await from_server.read()
        finally:
            to_server.close()
        if loses:
            self.lost_answers += 1
            return
        writer.write(answer)
        await writer.drain()


async def _request(reader: asyncio.StreamReader) -> bytes:
    """Read one request. The server is asked to close the connection after it, which ends its answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    kept = [line for line in lines[:-2] if not line.lower().startswith(b"connection:")]
    length = next((int(line[15:]) for line in kept if line.lower().startswith(b"content-length:")), 0)
    return b"\r\n".join([*kept, b"Connection: close", b"", b""]) + await reader.readexactly(length)
