"""Start and idle memory: `python -m bench.start [--quick]`. Starts services on temporary folders.

(a) From `signalpost serve` on a folder that has served before to a healthy answer. Floor: importing HTTP server, JSON
    library and database driver in a new Python, then starting the same PostgreSQL. Target: at most 1 s.
    Beside it, the first start, which creates the database and migrates it.
(b) Memory of service and database 20 s after start, without requests: the sum of proportional set sizes over all
    processes of both, shared pages counted once. Floor: a bare app of one pool on the same server and the same
    PostgreSQL. Target: at most 100 MB.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import uvloop
from granian.constants import Interfaces
from granian.server.embed import Server

from bench.load import free_port, memory_bytes
from signalpost.embedded_postgres.start import start_postgres

ROUNDS = 5
IDLE_SECONDS = 20.0
START_SECONDS_MAX = 30.0
_IMPORTS = "import asyncpg, granian, msgspec, uvloop"


async def floor_app(dsn: str, port: int) -> None:
    """Serve one response, with a pool of one connection."""
    pool = await asyncpg.create_pool(dsn, min_size=1)

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await pool.fetchval("select 1")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    server = Server(
        app, address="127.0.0.1", port=port, interface=Interfaces.ASGINL, log_enabled=False, websockets=False
    )
    await server.serve()


@contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """Run `signalpost serve`; yields it and the seconds from the command to the first healthy response."""
    port, environment = free_port(), {k: v for k, v in os.environ.items() if not k.startswith("SIGNALPOST_")}
    program = Path(sys.executable).with_name("signalpost")
    command = [str(program), "serve", "--data-dir", str(folder), "--port", str(port)]
    with (folder / "log").open("ab") as log:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    with ended(process):
        healthy(f"http://127.0.0.1:{port}/api/v1/healthz/api", process)
        yield process, time.perf_counter() - started


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    """Poll every 5 ms until the health check is ok."""
    stop_at = time.perf_counter() + START_SECONDS_MAX
    with httpx.Client() as client:
        while time.perf_counter() < stop_at:
            if process.poll() is not None:
                raise RuntimeError(f"the service ended with {process.returncode}")
            try:
                answer = client.get(url)
                if answer.status_code == 200 and (not answer.content or answer.json()["status"] == "ok"):
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.005)  # noqa: TID251 - nothing else runs here
    raise TimeoutError(f"not healthy within {START_SECONDS_MAX} s")


def processes(root: int) -> list[int]:
    """Return a process and all its descendants."""
    process_ids = [root]
    with suppress(FileNotFoundError, ProcessLookupError):  # it may end meanwhile
        for task in Path(f"/proc/{root}/task").iterdir():
            for child in (task / "children").read_text().split():
                process_ids += processes(int(child))
    return process_ids


def memory(*roots: int) -> float:
    """Return the megabytes of these processes and all their descendants."""
    return sum(memory_bytes(process) for root in roots for process in processes(root)) / 1_000_000


def floor_start(folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", _IMPORTS], check=True)
    cluster = start_postgres(folder)
    took = time.perf_counter() - started
    cluster.stop()
    return took


def floor_memory(folder: Path, seconds: float) -> tuple[float, float]:
    """Return the megabytes of a bare app and of its database."""
    cluster, port = start_postgres(folder), free_port()
    process = subprocess.Popen([sys.executable, "-m", "bench.start", "--floor-app", cluster.dsn(), str(port)])
    try:
        with ended(process):
            healthy(f"http://127.0.0.1:{port}/", process)
            time.sleep(seconds)  # noqa: TID251
            return memory(process.pid), memory(cluster.pid())
    finally:
        cluster.stop()


def product_memory(folder: Path, seconds: float) -> tuple[float, float]:
    """Return the megabytes of the service and of its database."""
    with serving(folder) as (process, _):
        time.sleep(seconds)  # noqa: TID251
        return memory(process.pid), memory(start_postgres(folder).pid())  # it runs: this only adopts it


def measure(folder: Path, *, rounds: int, idle_seconds: float) -> None:
    with serving(folder) as (_, first):
        pass
    floors, starts = [], []
    for _ in range(rounds):
        floors.append(floor_start(folder))
        with serving(folder) as (_, seconds):
            starts.append(seconds)
    floor, start = statistics.median(floors), statistics.median(starts)
    print("| measure | floor | product | ratio | target |\n|---|---|---|---|---|")
    print(f"| warm start to a healthy answer, s | {floor:.2f} | {start:.2f} | {start / floor:.2f} | <= 1 |")
    print(f"| first start to a healthy answer, s | | {first:.2f} | | |", flush=True)
    bare, ours = floor_memory(folder, idle_seconds), product_memory(folder, idle_seconds)
    names = ("idle memory of the service, MB", "idle memory of the database, MB")
    for name, least, measured in zip(names, bare, ours, strict=True):
        print(f"| {name} | {least:.0f} | {measured:.0f} | {measured / least:.2f} | |")
    print(f"| both | {sum(bare):.0f} | {sum(ours):.0f} | {sum(ours) / sum(bare):.2f} | <= 100 |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, less idling")
    parser.add_argument("--floor-app", nargs=2, metavar=("DSN", "PORT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.floor_app:
        uvloop.run(floor_app(options.floor_app[0], int(options.floor_app[1])))
        return
    folder = Path(tempfile.mkdtemp(prefix="signalpost-bench-"))
    folder.chmod(0o755)
    try:
        measure(folder, rounds=2 if options.quick else ROUNDS, idle_seconds=5 if options.quick else IDLE_SECONDS)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
