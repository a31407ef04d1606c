"""Start and idle memory: `python -m bench.start [--quick]`. Starts services on temporary folders.

(a) From `signalpost serve` on a folder that has served before to a healthy answer. Floor: importing HTTP server, JSON
    library and database driver in a new Python, then starting the same PostgreSQL. Target: at most 0.6 s.
    Beside it, the first start, which creates the database and migrates it.
(b) Memory of service and database 20 s after start, without requests: the sum of proportional set sizes over all
    processes of both, shared pages counted once. Floor: a bare app of one pool on the same server and the same
    PostgreSQL. Target: at most 100 MB.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import asyncpg
import uvloop
from granian.constants import Interfaces
from granian.server.embed import Server

from bench.load import free_port
from bench.service import ended, healthy, serving, temporary_folder
from bench.usage import memory_mb
from signalpost.embedded_postgres.start import start_postgres

ROUNDS = 5
IDLE_SECONDS = 20.0
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
            return memory_mb(process.pid), memory_mb(cluster.pid())
    finally:
        cluster.stop()


def product_memory(folder: Path, seconds: float) -> tuple[float, float]:
    """Return the megabytes of the service and of its database."""
    with serving(folder) as service:
        time.sleep(seconds)  # noqa: TID251
        own, database = service.roots
        return memory_mb(own), memory_mb(database)


def measure(folder: Path, *, rounds: int, idle_seconds: float) -> None:
    with serving(folder) as service:
        first = service.start_seconds
    floors, starts = [], []
    for _ in range(rounds):
        floors.append(floor_start(folder))
        with serving(folder) as service:
            starts.append(service.start_seconds)
    floor, start = statistics.median(floors), statistics.median(starts)
    print("| measure | floor | product | ratio | target |\n|---|---|---|---|---|")
    print(f"| warm start to a healthy answer, s | {floor:.2f} | {start:.2f} | {start / floor:.2f} | <= 0.6 |")
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
    with temporary_folder() as folder:
        measure(folder, rounds=2 if options.quick else ROUNDS, idle_seconds=5 if options.quick else IDLE_SECONDS)


if __name__ == "__main__":
    main()
