"""A TCP proxy before a server, which can fall silent or lose answers."""

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.counterparts.tools import free_port

_CHUNK_BYTES = 65_536


class TcpProxy:
    """Forwards to the socket of a server, or to its port.

    What is swallowed never arrives, as with packets that a firewall drops; connections stay open, and are accepted.
    `loses`: the share of what the server sends in place of which the connection ends: at random, and at the latest when
    as much was sent as one loss is due for.
    """

    def __init__(self, target: Path | int, *, loses: float = 0.0, seed: int = 20261122) -> None:
        self._target = target
        self._loses = loses
        self._random = random.Random(seed)
        self.lost = 0
        """How often it lost something."""
        self._faithful_for = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._open = asyncio.Event()
        self._open.set()

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", free_port(), backlog=200)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def swallow(self) -> None:
        """Be silent from now on, on all connections."""
        self._open.clear()

    def forward(self) -> None:
        """Be a network again. Connections of before are broken, as their peers have forgotten them."""
        for writer in self._writers:
            writer.transport.abort()
        self._open.set()

    @contextmanager
    def faithful(self) -> Iterator[None]:
        """Lose nothing for a while."""
        loses, self._loses = self._loses, 0.0
        try:
            yield
        finally:
            self._loses = loses

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            await self._open.wait()
            to_reader, to_writer = await self._connect()
            self._writers.add(to_writer)
            try:
                await asyncio.gather(self._pump(reader, to_writer), self._pump(to_reader, writer, is_answer=True))
            finally:
                to_writer.close()
                self._writers.discard(to_writer)
        except (OSError, asyncio.CancelledError):
            pass  # a connection that is broken, or the end of the proxy
        finally:
            writer.close()
            self._writers.discard(writer)
            self._tasks.discard(task)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, int):
            return await asyncio.open_connection("127.0.0.1", self._target)
        return await asyncio.open_unix_connection(str(self._target))

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool = False
    ) -> None:
        while data := await reader.read(_CHUNK_BYTES):
            await self._open.wait()
            if is_answer and self._is_to_lose():
                self.lost += 1
                raise ConnectionResetError("lost on purpose")
            writer.write(data)
            await writer.drain()
        writer.close()

    def _is_to_lose(self) -> bool:
        if self._loses == 0.0:
            return False
        self._faithful_for += 1
        if self._random.random() >= self._loses and self._faithful_for * self._loses < 1:
            return False
        self._faithful_for = 0
        return True
