"""What the limits of plans add to the creation of a post: `python -m bench.limits [--quick]`.

Two services on one database, one of which sells plans. They take turns with the same requests, one after the other:
posts for now, which spend the month's posts (plan pro), and scheduled posts, which are counted (plan max). CPU is that
of the service, and of the service and the database together. The requests come from many sessions, since a plan limits
the rate of each credential; for the same reason nobody sends thousands at once, which are written together without
limits, and one by one with them.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg

from bench.api import body, prepare, running
from bench.load import free_port, wait_for_port
from bench.service import temporary_folder
from bench.usage import cpu_ms
from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.start import start_postgres
from signalpost.identity.actions import sign_in
from signalpost.kit import log
from signalpost.main import app
from signalpost.migrations.runner import migrate
from signalpost.settings import load

SESSIONS = 60
REQUESTS = 150
WARM = 10
TARGET = "<= 1.15"
CASES = {"now (spends the month's posts)": ("pro", False), "scheduled (counted)": ("max", True)}


Send = Callable[[http.client.HTTPConnection], None]


class Prepared(NamedTuple):
    """What requests name."""

    bearers: list[str]
    profile: str
    accounts: list[str]


async def fill(cluster: Cluster, folder: Path) -> Prepared:
    """Create the workspace of the bench of requests, and sessions of its owner."""
    settings = load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_BASE_URL": "http://bench.test"})
    async with app.open_context(settings, cluster.dsn()) as context:
        workspace = await prepare(context)
        async with context.database.transaction() as db:
            member = await db.fetchrow("select user_id, workspace_id from member limit 1")
            bearers = [
                (
                    await sign_in.open_session(
                        db, context.keys, member["user_id"], member["workspace_id"], "owner", "192.0.2.1"
                    )
                ).access_token
                for _ in range(SESSIONS)
            ]
    return Prepared(bearers, workspace.profile, workspace.accounts[:1])


async def set_plan(dsn: str, plan: str) -> None:
    """Set the plan, and begin the month anew. Nothing publishes the posts for now: make room for more of them."""
    connection = await asyncpg.connect(dsn)
    if plan == "pro":
        await connection.execute("update post set deleted_at = now() where deleted_at is null")
    await connection.execute("update workspace set plan = $1", plan)
    await connection.execute("delete from usage")
    await connection.close()


def one_round(port: int, roots: Sequence[int], send: Send) -> tuple[float, float]:
    """Send the requests; return the CPU of one, of the service and of all processes, in milliseconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(WARM):
        send(connection)
    before = [cpu_ms(root) for root in roots]
    for _ in range(REQUESTS):
        send(connection)
    used = [cpu_ms(root) - spent for root, spent in zip(roots, before, strict=True)]
    connection.close()
    return used[0] / REQUESTS, sum(used) / REQUESTS


def sender(prepared: Prepared, *, scheduled: bool) -> Send:
    """Return a function that creates a post over a connection, as one session after the other."""
    turn = itertools.cycle(prepared.bearers)

    def send(connection: http.client.HTTPConnection) -> None:
        data: dict[str, Any] = body(prepared.profile, prepared.accounts)
        if not scheduled:
            del data["scheduledAt"]
        headers = {"Authorization": f"Bearer {next(turn)}", "Content-Type": "application/json"}
        connection.request("POST", "/api/v1/posts", json.dumps(data), headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status != 201:
            raise RuntimeError(f"{response.status} {answer[:500].decode()}")

    return send


def measure(cluster: Cluster, services: dict[str, tuple[int, int]], prepared: Prepared, rounds: int) -> None:
    """Print a row for each case."""
    for name, (plan, scheduled) in CASES.items():
        send = sender(prepared, scheduled=scheduled)
        cpu: dict[str, list[tuple[float, float]]] = {side: [] for side in services}
        asyncio.run(set_plan(cluster.dsn(), plan))
        for number in range(rounds + 1):
            for side in list(services) if number % 2 else list(reversed(services)):
                asyncio.run(set_plan(cluster.dsn(), plan))
                port, process_id = services[side]
                spent = one_round(port, [process_id, cluster.pid()], send)
                if number:  # the first round warms up, until each service has read the plan
                    cpu[side].append(spent)
        # A clock tick is 10 ms, so the sum of all rounds says more than the median of one.
        off, on = ([statistics.fmean(column) for column in zip(*cpu[side], strict=True)] for side in ("off", "on"))
        ratios = f"{on[0] / off[0]:.2f} | {on[1] / off[1]:.2f}"
        print(f"| {name} | {off[0]:.2f} / {off[1]:.2f} | {on[0]:.2f} / {on[1]:.2f} | {ratios} | {TARGET} |", flush=True)


@contextmanager
def serving(cluster: Cluster, folder: Path, *, sells: bool) -> Iterator[tuple[int, int]]:
    """Run a service without the engine; yield its port and process."""
    port = free_port()
    serve = ["signalpost", "serve", "--no-worker", "--data-dir", str(folder), "--port", str(port)]
    variables = {
        "SIGNALPOST_DATABASE_URL": cluster.dsn(),
        "SIGNALPOST_LOG_FORMAT": "json",
        "SIGNALPOST_BILLING_ENABLED": str(sells).lower(),
    }
    with running(*serve, output=folder / "log", **variables) as process:
        asyncio.run(wait_for_port(port))
        yield port, process.pid


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 4 if parser.parse_args().quick else 10
    log.set_up(level="warning")
    with temporary_folder() as folder:
        cluster = start_postgres(folder)
        try:
            asyncio.run(migrate(cluster.dsn()))
            prepared = asyncio.run(fill(cluster, folder))
            with serving(cluster, folder, sells=False) as off, serving(cluster, folder, sells=True) as on:
                print(
                    "| POST /posts | CPU ms service / all without limits | with | ratio service | ratio all | target |"
                )
                print("|" + "---|" * 6)
                measure(cluster, {"off": off, "on": on}, prepared, rounds)
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
