"""A proxy before an HTTP server that loses some of what writes: the request on its way, or the answer to it."""

import asyncio
import random
import re
from typing import Self


class LosingProxy:
    """Each connection is for one request. `share` of the POSTs and PUTs get lost, and as many of their answers."""

    def __init__(self, port: int, share: float, seed: int) -> None:
        self._port, self._share = port, share
        self._random = random.Random(seed)
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.requests_lost = self.answers_lost = 0

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=200)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            answer = await self._answer(reader)
            if answer is None:
                writer.transport.abort()
            else:
                writer.write(answer)
                await writer.drain()
        except (OSError, EOFError, asyncio.CancelledError):
            writer.transport.abort()  # one of both is gone, or the test is over
        finally:
            writer.close()
            self._serving.discard(task)

    async def _answer(self, reader: asyncio.StreamReader) -> bytes | None:
        """Return what the server answers; None if that, or the request, is lost."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        body = await reader.readexactly(int(length[1]) if length else 0)
        loses = self._random.random() if head.startswith((b"POST ", b"PUT ")) else 1.0
        if loses < self._share:
            self.requests_lost += 1
            return None
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            to_server.write(re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head)[:-2] + b"Connection: close\r\n\r\n" + body)
            answer = await from_server.read()
        finally:
            to_server.close()
        if loses < 2 * self._share or not answer:
            self.answers_lost += 1
            return None
        return answer
