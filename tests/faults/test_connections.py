"""Connections that one machine opens and leaves alone shut nobody out."""

import asyncio
import contextlib
import select
import socket
import threading

import httpx
import pytest
from tests.faults.scene import Scene, percentile, sizes

from signalpost.kit import clock


def _hold(port: int, count: int, stop: threading.Event) -> None:
    """Keep `count` connections open from an address of its own, and open each anew that is closed."""
    crowd = select.epoll()
    held: dict[int, socket.socket] = {}
    try:
        while not stop.is_set():
            for number, _ in crowd.poll(0.1):
                held.pop(number).close()
            while len(held) < count:
                silent = socket.socket()
                held[silent.fileno()] = silent
                silent.bind(("127.0.0.9", 0))
                silent.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    silent.connect(("127.0.0.1", port))
                crowd.register(silent, select.EPOLLRDHUP)
    finally:
        for silent in held.values():
            silent.close()
        crowd.close()


@pytest.mark.alone
@sizes("size", quick=(1_500, 10), heavy=(8_300, 20))
async def test_silent_connections_of_one_machine_shut_nobody_out(scene: Scene, size: tuple[int, int]) -> None:
    """They would fill all places of the service, and be opened again as fast as they are closed.

    `size`: silent connections, requests of somebody else meanwhile.
    """
    silent, requests = size
    process = await scene.serve(SIGNALPOST_CONNECTIONS_MAX=str(silent - 300))
    assert process.port is not None
    stop = threading.Event()
    attack = asyncio.create_task(asyncio.to_thread(_hold, process.port, silent, stop))
    seconds = []
    try:
        for _ in range(requests):
            started = clock.monotonic()
            async with httpx.AsyncClient(timeout=10) as client:
                answer = await client.get(f"http://127.0.0.1:{process.port}/api/v1/healthz/api")
            seconds.append(clock.monotonic() - started)
            assert answer.status_code == 200
            await asyncio.sleep(0.25)
    finally:
        stop.set()
        await attack
    assert percentile(seconds, 0.9) < 2, seconds  # of a machine that does other things as well
    await scene.until(lambda: "connections.closed" in process.log_file.read_text(), "a line in the log")
