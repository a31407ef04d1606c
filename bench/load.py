"""Load for the benches: keep-alive connections that send one request after the other, at little cost of their own."""

import asyncio
import re
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.usage import cpu_ms

CONNECTIONS = 32
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Run:
    """The result of a run. `cpu_ms`: CPU per request, user and system, of each of the processes that were watched."""

    requests: int
    seconds: float
    cpu_ms: tuple[float, ...]

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


class _Load:
    """What all connections of a run share."""

    def __init__(self, request: Callable[[], bytes], expect: int, *, stop_after: int | None = None) -> None:
        self.request = request
        self.expect = expect
        self.left = stop_after
        self.count = 0
        self.open = 0
        self.running = True
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def next(self) -> bytes | None:
        """Return the next request, or None if there are none left."""
        if not self.running or self.left == 0:
            return None
        if self.left is not None:
            self.left -= 1
        return self.request()

    def fail(self, message: str) -> None:
        self.running = False
        if not self.ended.done():
            self.ended.set_exception(RuntimeError(message))


class _Connection(asyncio.Protocol):
    """Sends a request, reads the response, sends the next."""

    def __init__(self, load: _Load) -> None:
        self._load = load
        self._received = b""
        self._finished = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._load.open += 1
        self._send()

    def data_received(self, data: bytes) -> None:
        received = self._received = self._received + data if self._received else data
        head_end = received.find(b"\r\n\r\n")
        length = _LENGTH.search(received, 0, head_end + 2) if head_end >= 0 else None
        if head_end < 0 or (length and len(received) < head_end + 4 + int(length[1])):
            return
        self._received = b""
        if int(received[9:12]) != self._load.expect:
            self._load.fail(received[:600].decode(errors="replace"))
        self._load.count += 1
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        self._load.open -= 1
        if not self._finished:
            self._load.fail(f"the server closed a connection: {error!r}")
        elif not self._load.open and not self._load.ended.done():
            self._load.ended.set_result(None)

    def _send(self) -> None:
        request = self._load.next()
        if request is None:
            self._finished = True
            self._transport.close()
        else:
            self._transport.write(request)


async def run(
    port: int, request: Callable[[], bytes], *, expect: int, roots: Sequence[int], seconds: float, warm: float = 0.5
) -> Run:
    """Send requests over 32 connections: for `warm` seconds unmeasured, then for `seconds`.

    Args:
        port: of the server on this machine.
        request: returns the bytes of the next request.
        expect: the status that every response must have.
        roots: processes whose CPU is measured, each with its descendants.
        seconds: how long to measure.
        warm: how long to send before.

    Raises:
        RuntimeError: another status, or a connection that was closed.
    """
    load = _Load(request, expect)
    await _connect(load, port)
    await _pause(load, warm)
    started, count, before = time.perf_counter(), load.count, [cpu_ms(root) for root in roots]
    await _pause(load, seconds)
    used = [cpu_ms(root) - spent for root, spent in zip(roots, before, strict=True)]
    took, total = time.perf_counter() - started, load.count - count
    load.running = False
    await load.ended
    return Run(total, took, tuple(spent / total for spent in used))


async def send_all(port: int, request: Callable[[], bytes], count: int, *, expect: int) -> None:
    """Send `count` requests over 32 connections."""
    load = _Load(request, expect, stop_after=count)
    await _connect(load, port)
    await load.ended


async def _connect(load: _Load, port: int) -> None:
    loop = asyncio.get_running_loop()
    load.open += 1  # so that the run does not end before every connection was made
    for _ in range(CONNECTIONS):
        await loop.create_connection(lambda: _Connection(load), "127.0.0.1", port)
    load.open -= 1
    if not load.open and not load.ended.done():
        load.ended.set_result(None)


async def _pause(load: _Load, seconds: float) -> None:
    """Wait; raise at once if the run fails."""
    await asyncio.wait([load.ended], timeout=seconds)
    if load.ended.done():
        load.ended.result()


def request_bytes(method: str, path: str, key: str, body: bytes = b"", headers: str = "") -> bytes:
    """Return an HTTP/1.1 request. `headers`: more of them, each with its line break."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return (head + headers).encode() + b"\r\n" + body


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def wait_for_port(port: int, seconds: float = 20.0) -> None:
    """Wait until the port accepts connections."""
    stop_at = time.perf_counter() + seconds
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if time.perf_counter() > stop_at:
                raise
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return
