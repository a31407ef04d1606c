"""POSTs per second of our client against a bare aiohttp session, same sink, 64 at a time: `python -m bench.http_client
[--quick]`. The client adds checks of the address, deadlines, bounds and redaction.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import uvloop

from signalpost.kit.http import Client

CONCURRENCY = 64
ROUNDS = 3
BODY = b'{"id":"evt_01J","type":"post.published","createdAt":"2026-11-21T10:00:00.000Z","data":{"postId":"pst_01J"}}'
HEADERS = {"Content-Type": "application/json", "X-Service-Event": "post.published", "X-Service-Signature": "sha256=00"}


class Sink(asyncio.Protocol):
    """Responds to every request that arrives in one piece, at next to no cost: enough for a bench."""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" * data.count(b"POST / HTTP/1.1\r\n"))


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def rate(post: Callable[[], Awaitable[None]], seconds: float) -> float:
    stop_at = time.perf_counter() + seconds

    async def loop() -> int:
        count = 0
        while time.perf_counter() < stop_at:
            await post()
            count += 1
        return count

    started = time.perf_counter()
    counts = await asyncio.gather(*(loop() for _ in range(CONCURRENCY)))
    return sum(counts) / (time.perf_counter() - started)


async def measure(port: int, seconds: float) -> None:
    url = f"http://127.0.0.1:{port}/"
    async with (
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
        Client(["127.0.0.1"]) as client,
    ):

        async def bare() -> None:
            async with session.post(url, data=BODY, headers=HEADERS) as answer:
                await answer.read()

        async def ours() -> None:
            await client.request("POST", url, data=BODY, headers=HEADERS, truncate=True, bytes_max=65_536)

        pairs = [(await rate(bare, seconds), await rate(ours, seconds)) for _ in range(ROUNDS)]
    bare_rate, our_rate = (statistics.median(column) for column in zip(*pairs, strict=True))
    print("| measure | floor | client | ratio | target |\n|---|---|---|---|---|")
    print(f"| requests/s, 64 at a time | {bare_rate:,.0f} | {our_rate:,.0f} | {our_rate / bare_rate:.2f} | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    parser.add_argument("--sink", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sink:
        uvloop.run(serve())
        return
    with subprocess.Popen(
        [sys.executable, "-m", "bench.http_client", "--sink"], stdout=subprocess.PIPE, text=True
    ) as sink:
        assert sink.stdout is not None
        uvloop.run(measure(int(sink.stdout.readline()), 1.0 if options.quick else 3.0))
        sink.terminate()


if __name__ == "__main__":
    main()
