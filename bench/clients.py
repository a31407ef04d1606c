"""Processor time of a call by the Python client, and of `sp --help`: `python -m bench.clients [--quick]`.

The floor of a call is bare httpx with the same body: the client adds an idempotency key and the checks of the answer,
JSON in both directions is part of both. The floor of the help is a command of click that prints a line.
"""

import argparse
import asyncio
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "clients" / "python" / "src"))

from signalpost_client import AsyncSignalpost, Signalpost

ROUNDS = 5
TARGET = 2.0
HELP = "from signalpost_client.cli._run import run; run(['--help'])"
LINE = "import click; click.command()(lambda: click.echo('help'))([])"
BODY: Any = {"profileId": "prof_01M7Z0000000000000000000AB", "platforms": ["sandbox"], "text": "Hello from #signalpost"}
POST = json.dumps(
    {**BODY, "id": "pst_01M7Z0000000000000000000AB", "status": "queued", "targets": [], "version": 1}
).encode()
RESPONSE = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(POST) + POST


def sink(listener: socket.socket) -> None:
    """Answer every request of each connection with the same post. Its thread's time is not counted."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection: socket.socket) -> None:
    received = b""
    while piece := connection.recv(65_536):
        received += piece
        if b"#signalpost" in received and received.endswith(b"}"):
            connection.sendall(RESPONSE)
            received = b""


def cost(call: Callable[[], Any], calls: int) -> float:
    """Return the processor time of this thread for a call, in microseconds."""
    call()
    started = time.thread_time()
    for _ in range(calls):
        call()
    return (time.thread_time() - started) / calls * 1e6


async def async_cost(call: Callable[[], Any], calls: int) -> float:
    await call()
    started = time.thread_time()
    for _ in range(calls):
        await call()
    return (time.thread_time() - started) / calls * 1e6


def measure(url: str, calls: int) -> tuple[float, float]:
    headers = {"Authorization": "Bearer sp_test_x"}
    with httpx.Client() as http, Signalpost("sp_test_x", base_url=url, http=http) as client:
        floor = [
            cost(lambda: http.post(f"{url}/api/v1/posts", json=BODY, headers=headers).json(), calls)
            for _ in range(ROUNDS)
        ]
        ours = [cost(lambda: client.create_post(BODY), calls) for _ in range(ROUNDS)]
    return statistics.median(floor), statistics.median(ours)


async def async_measure(url: str, calls: int) -> tuple[float, float]:
    headers = {"Authorization": "Bearer sp_test_x"}
    async with httpx.AsyncClient() as http, AsyncSignalpost("sp_test_x", base_url=url, http=http) as client:

        async def bare() -> Any:
            return (await http.post(f"{url}/api/v1/posts", json=BODY, headers=headers)).json()

        floor = [await async_cost(bare, calls) for _ in range(ROUNDS)]
        ours = [await async_cost(lambda: client.create_post(BODY), calls) for _ in range(ROUNDS)]
    return statistics.median(floor), statistics.median(ours)


def start_cost(program: str) -> float:
    """Return the processor time of a Python process that runs this, in microseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", program],
        stdout=subprocess.DEVNULL,
        check=True,
        env=os.environ | {"PYTHONPATH": sys.path[0]},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e6


def measure_help() -> tuple[float, float]:
    pairs = [(start_cost(LINE), start_cost(HELP)) for _ in range(ROUNDS + 1)][1:]  # the first compiles
    floor, ours = zip(*pairs, strict=True)
    return statistics.median(floor), statistics.median(ours)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer calls")
    calls = 100 if parser.parse_args().quick else 1_000
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=sink, args=(listener,), daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        rows = {
            "a call, Python": measure(url, calls),
            "a call, Python, asyncio": asyncio.run(async_measure(url, calls)),
            "`sp --help`": measure_help(),
        }
    print("| measure | floor | client | ratio | target |\n|---|---|---|---|---|")
    for name, (floor, ours) in rows.items():
        print(f"| processor time of {name} | {floor:,.0f} us | {ours:,.0f} us | {ours / floor:.2f} | {TARGET} |")


if __name__ == "__main__":
    main()
