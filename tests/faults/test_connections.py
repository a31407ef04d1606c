"""Connections that one machine opens and leaves alone shut nobody out."""

import asyncio
import contextlib
import socket
import threading

import httpx
from tests.faults.scene import Scene, sizes

from signalpost.kit import clock


def _hold(port: int, count: int, text: bytes, stop: threading.Event) -> None:
    """Keep `count` connections open from an address of its own, and open each anew that is closed."""
    crowd: list[socket.socket] = []
    with contextlib.ExitStack() as stack:
        while not stop.wait(0.05):
            for silent in crowd[:]:
                with contextlib.suppress(BlockingIOError, ConnectionError):
                    if silent.recv(1, socket.MSG_PEEK) == b"":
                        crowd.remove(silent)
                        silent.close()
            while len(crowd) < count and not stop.is_set():
                opened = stack.enter_context(socket.socket())
                opened.bind(("127.0.0.9", 0))
                opened.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    opened.connect(("127.0.0.1", port))
                with contextlib.suppress(BlockingIOError, OSError):
                    opened.send(text)
                crowd.append(opened)


@sizes("silent", quick=1_500, heavy=8_300)
async def test_silent_connections_of_one_machine_shut_nobody_out(scene: Scene, silent: int) -> None:
    """They would fill all places of the service, and be opened again as fast as they are closed."""
    process = await scene.serve(SIGNALPOST_CONNECTIONS_MAX=str(silent - 300))
    assert process.port is not None
    stop = threading.Event()
    attack = asyncio.create_task(asyncio.to_thread(_hold, process.port, silent, b"", stop))
    seconds = []
    try:
        for _ in range(20):
            started = clock.monotonic()
            async with httpx.AsyncClient(timeout=10) as client:
                answer = await client.get(f"http://127.0.0.1:{process.port}/api/v1/healthz/api")
            seconds.append(clock.monotonic() - started)
            assert answer.status_code == 200
            await asyncio.sleep(0.25)
    finally:
        stop.set()
        await attack
    assert max(seconds) < 2, seconds
    await scene.until(lambda: "connections.closed" in process.log_file.read_text(), "a line in the log")
