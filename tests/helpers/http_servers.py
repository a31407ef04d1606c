"""Servers that answer with exact bytes, well or badly, for the tests of the outgoing client."""

import asyncio
import gc
import socket
import ssl
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from tests.counterparts.tools import free_port

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class Connection:
    """One accepted connection, read request by request."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server: "Server"

    async def request(self) -> bytes:
        """Read one whole request (head, and body by its length or chunks), and note it."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        lower = head.lower()
        body = b""
        if b"content-length: " in lower:
            body = await self.reader.readexactly(int(lower.split(b"content-length: ")[1].split(b"\r\n")[0]))
        elif b"transfer-encoding: chunked" in lower:
            body = await self.reader.readuntil(b"0\r\n\r\n")
        self.server.requests.append(head + body)
        return head + body

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Script = Callable[[Connection], Awaitable[None]]


@dataclass
class Server:
    port: int = 0
    accepted: int = 0
    requests: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@asynccontextmanager
async def serve(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """Run `script` for every connection on a free port of 127.0.0.1; what still runs at the end is cancelled."""
    server, running, is_over = Server(), set[asyncio.Task[None]](), asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if is_over.is_set():  # it came while those before it were cancelled
            writer.transport.abort()
            return
        server.accepted += 1
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await script(Connection(reader, writer, server))
        finally:
            writer.transport.abort()
            running.discard(task)

    listener = await asyncio.start_server(accept, "127.0.0.1", free_port(), ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        is_over.set()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await listener.wait_closed()
        await asyncio.sleep(0)


def answering(*answers: bytes) -> Script:
    """Answer the n-th request of each connection with the n-th bytes, again and again with the last ones."""

    async def script(connection: Connection) -> None:
        number = 0
        while True:
            await connection.request()
            await connection.send(answers[min(number, len(answers) - 1)])
            number += 1

    return script


def kept(script: Script) -> Script:
    """Answer a first request, so that the connection is kept; the next one gets what `script` does.

    A call on such a connection is sent at once: its time cannot end while it still connects.
    """

    async def answered(connection: Connection) -> None:
        await connection.request()
        await connection.send(OK)
        await script(connection)

    return answered


def response(status: int, body: bytes = b"", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def longest_turn_seconds(work: Awaitable[object]) -> float:
    """Return the most CPU time that the loop used before it came round while `work` ran: a busy machine adds none.

    Nor does looking for garbage, which takes time in proportion to all that the process holds.
    """
    task = asyncio.ensure_future(work)
    longest = 0.0
    gc.disable()
    try:
        while not task.done():
            before = time.thread_time()
            await asyncio.sleep(0.005)
            longest = max(longest, time.thread_time() - before)
    finally:
        gc.enable()
    await task
    return longest
