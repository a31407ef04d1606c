"""Fifty posts to three accounts each: one bulk request against fifty single creates: `python -m bench.bulk [--quick]`.

Both are sent over one connection, one request after the other, and alternate. Times are from the first byte of the
first request to the last of the last response; CPU is of the server process and of the database together.
"""

import argparse
import asyncio
import http.client
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.api import Workspace, body, prepare, running
from bench.load import free_port, wait_for_port
from bench.service import temporary_folder
from bench.usage import cpu_ms
from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import log
from signalpost.main import app
from signalpost.migrations.runner import migrate
from signalpost.settings import load

POSTS = 50
TARGETS = 3
Send = Callable[[str, dict[str, Any]], None]


def sender(port: int, key: str) -> Send:
    """Return a function that posts JSON over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def send(path: str, data: dict[str, Any]) -> None:
        connection.request("POST", f"/api/v1{path}", json.dumps(data), headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status != 201 or b'"problem"' in answer:
            raise RuntimeError(f"POST {path}: {response.status} {answer[:500].decode()}")

    return send


def measure(send: Send, workspace: Workspace, roots: Sequence[int], *, rounds: int, draft: bool) -> str:
    """Return a row of the table."""
    names = workspace.accounts[:TARGETS]

    def bodies() -> list[dict[str, Any]]:
        return [body(workspace.profile, names) | {"draft": draft} for _ in range(POSTS)]

    def singles(posts: list[dict[str, Any]]) -> None:
        for post in posts:
            send("/posts", post)

    def many(posts: list[dict[str, Any]]) -> None:
        send("/posts/bulk", {"posts": posts, "draft": draft})

    times: dict[str, list[float]] = {"singles": [], "many": []}
    cpu: dict[str, list[float]] = {"singles": [], "many": []}
    for number in range(rounds + 2):
        for name, create in (("singles", singles), ("many", many)):
            posts, before = bodies(), sum(map(cpu_ms, roots))
            started = time.perf_counter()
            create(posts)
            if number > 1:  # the first rounds warm up
                times[name].append((time.perf_counter() - started) * 1000)
                cpu[name].append(sum(map(cpu_ms, roots)) - before)
    single, bulk = (statistics.median(times[name]) for name in ("singles", "many"))
    # A clock tick is 10 ms, so the sum of all rounds says more than the median of one.
    single_cpu, bulk_cpu = (sum(cpu[name]) / rounds for name in ("singles", "many"))
    kind = "drafts" if draft else "scheduled"
    return (
        f"| {kind} | {single:.1f} | {bulk:.1f} | {single / bulk:.1f} | {single_cpu:.1f} | {bulk_cpu:.1f} "
        f"| {single_cpu / bulk_cpu:.1f} | 10 |"
    )


async def fill(cluster: Cluster, folder: Path) -> Workspace:
    """Create the workspace of the bench of requests."""
    settings = load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_BASE_URL": "http://bench.test"})
    async with app.open_context(settings, cluster.dsn()) as context:
        return await prepare(context)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 5 if parser.parse_args().quick else 20
    log.set_up(level="warning")
    with temporary_folder() as folder:
        cluster = start_postgres(folder)
        try:
            asyncio.run(migrate(cluster.dsn()))
            workspace = asyncio.run(fill(cluster, folder))
            port = free_port()
            serve = ["signalpost", "serve", "--data-dir", str(folder), "--port", str(port)]
            variables = {"SIGNALPOST_DATABASE_URL": cluster.dsn(), "SIGNALPOST_LOG_FORMAT": "json"}
            with running(*serve, output=folder / "log", **variables) as product:
                asyncio.run(wait_for_port(port))
                print(
                    "| 50 posts, 3 targets | 50 creates ms | bulk ms | ratio | CPU ms | bulk CPU ms | ratio | target |"
                )
                print("|" + "---|" * 8)
                send, roots = sender(port, workspace.key), [product.pid, cluster.pid()]
                for draft in (False, True):
                    print(measure(send, workspace, roots, rounds=rounds, draft=draft), flush=True)
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
