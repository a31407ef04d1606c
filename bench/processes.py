"""One installation with 1, 2 and 3 processes of each kind: `python -m bench.processes [--quick]`.

Posts for now are created over HTTP at `serve --no-worker` processes in turn, 32 connections at each, and published to
the sandbox by as many `worker` processes, on one database. Measured until the last one is public: posts a second, CPU a
post of the API, of the workers and of the database, and transactions a post, which tell how many share a commit. The
floor is one process of each kind, in the same run.
Target: with more of them, a post costs at most 1.05 times the CPU.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import uvloop

from bench.load import free_port, request_bytes, send_all
from bench.publishing import Tenant
from bench.service import PROGRAM, Service, ended, environment, healthy, temporary_folder
from bench.usage import cpu_ms

_PUBLIC = "select count(*) from target where published_at is not null"
_TRANSACTIONS = "select xact_commit from pg_stat_database where datname = current_database()"
_WORKERS = "select count(*) from worker where looped_at > now() - interval '2 s'"


class Installation:
    """Processes of one data folder, with its embedded database."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self.ports: list[int] = []
        self.serving: list[int] = []
        self.working: list[int] = []

    def grow(self) -> Service:
        """Start one more process of each kind; return the one that serves."""
        port, started = free_port(), time.perf_counter()
        self.working.append(self._start("worker").pid)
        serve = self._start("serve", "--no-worker", "--port", str(port))
        healthy(f"http://127.0.0.1:{port}/api/v1/healthz/api", serve)
        self.ports.append(port)
        self.serving.append(serve.pid)
        return Service(self._folder, serve, port, time.perf_counter() - started)

    def cpu_ms(self, database: int, counting: int) -> tuple[float, ...]:
        """CPU until now of the API, of the workers and of the database, without its backend that counts for the bench.

        Args:
            database: the first process of the server.
            counting: the backend of the connection over which is asked how many posts are public.
        """
        return cpu_ms(*self.serving), cpu_ms(*self.working), cpu_ms(database) - cpu_ms(counting)

    def _start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [str(PROGRAM), *arguments, "--data-dir", str(self._folder)]
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment())
        self._stack.enter_context(ended(process))
        return process


async def publish(here: Installation, db: "asyncpg.Connection[object]", tenant: Tenant, count: int) -> None:
    """Create so many posts for now at all processes, and wait until all are public."""
    until = await db.fetchval(_PUBLIC) + count

    def request() -> bytes:
        body = tenant.body(datetime.now(UTC))
        del body["scheduledAt"]
        return request_bytes("POST", "/api/v1/posts", tenant.key, json.dumps(body).encode())

    share, rest = divmod(count, len(here.ports))
    counts = [share + (place < rest) for place in range(len(here.ports))]
    creating = [send_all(port, request, each, expect=201) for port, each in zip(here.ports, counts, strict=True)]
    await asyncio.gather(*creating)
    while await db.fetchval(_PUBLIC) < until:  # noqa: ASYNC110
        await asyncio.sleep(0.02)


async def measure(folder: Path, *, quick: bool) -> None:
    count, rounds = (600, 1) if quick else (3_000, 3)
    with ExitStack() as stack:
        here = Installation(folder, stack)
        first = here.grow()
        tenant, database = Tenant(first), first.cluster.pid()
        db = await asyncpg.connect(first.cluster.dsn())
        stack.callback(db.terminate)
        counting = await db.fetchval("select pg_backend_pid()")
        print("| processes | posts/s | CPU ms: API, workers, database | sum | transactions | ratio | target |")
        print("|---|---|---|---|---|---|---|")
        floor = 0.0
        for processes in (1, 2, 3):
            if processes > 1:
                here.grow()
            while await db.fetchval(_WORKERS) < processes:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            await publish(here, db, tenant, count // 5)
            rates, costs = [], []
            committed = await db.fetchval(_TRANSACTIONS)
            for _ in range(rounds):
                started, before = time.perf_counter(), here.cpu_ms(database, counting)
                await publish(here, db, tenant, count)
                rates.append(count / (time.perf_counter() - started))
                costs.append(
                    [(new - old) / count for new, old in zip(here.cpu_ms(database, counting), before, strict=True)]
                )
            committed = (await db.fetchval(_TRANSACTIONS) - committed) / (count * rounds)
            cost = min(costs, key=sum)
            floor = floor or sum(cost)
            parts, rate = ", ".join(f"{part:.2f}" for part in cost), f"{statistics.median(rates):,.0f}"
            target = "" if processes == 1 else "<= 1.05"
            sums = f"{sum(cost):.2f} | {committed:.2f} | {sum(cost) / floor:.2f}"
            print(f"| {processes} | {rate} | {parts} | {sums} | {target} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer posts, one round")
    with temporary_folder() as folder:
        uvloop.run(measure(folder, quick=parser.parse_args().quick))


if __name__ == "__main__":
    main()
