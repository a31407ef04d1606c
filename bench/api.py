"""Requests against two floors: `python -m bench.api [--quick]`. One server process each, 32 connections, one database.

The product runs as `signalpost serve` does: sign-in, rate limits, request log, engine. The replay (bench.bare_api) runs
the very statements that the product sent, recorded from one request of each kind, and nothing else. The least floor
(bench.floor) keeps posts with targets in tables of its own, with one statement per request.
Shares are requests a second as a part of the least floor's; CPU is of the server process / of all processes.
"""

import argparse
import asyncio
import json
import os
import pickle
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import asyncpg
import httpx
import uvloop

from bench import floor
from bench.load import Run, free_port, request_bytes, run, wait_for_port
from bench.recording import record, uuids
from bench.service import ended, environment, temporary_folder
from signalpost.accounts.actions import connect
from signalpost.accounts.schemas import AccountConnect
from signalpost.api_keys.actions import keys as api_keys
from signalpost.context import AppContext
from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.start import start_postgres
from signalpost.identity.actions import sign_up
from signalpost.identity.authenticate import authenticator
from signalpost.kit import ids, log
from signalpost.main import app
from signalpost.migrations.runner import migrate
from signalpost.settings import load
from signalpost.web.fields import ProfileId

ACCOUNTS = 60
POSTS = 1_000
WHEN = "2027-11-01T12:00:00Z"
WITH_KEY = "create 1 target, with a key"
"""An Idempotency-Key of its own for each post, of which only the product takes notice."""
TARGETS = {
    "create 1 target": ">= 0.40, <= 2.5x",
    WITH_KEY: "",
    "create 3 targets": ">= 0.40, <= 2.5x",
    "create 3 of 60 accounts": ">= 0.40, <= 2.5x",
    "get": ">= 0.55, <= 2.0x",
    "list 20": ">= 0.75, <= 1.6x",
    "health": ">= 0.5",
}


@dataclass(frozen=True)
class Workspace:
    """What requests name. `accounts` are all of one profile."""

    key: str
    profile: str
    accounts: list[str]
    post: str
    existing_ids: set[UUID]


def body(profile: str, chosen: Sequence[str]) -> dict[str, Any]:
    """Return a new post of an ordinary length to these accounts."""
    text = "A post of an ordinary length, with a #tag and an address https://example.com/page " + os.urandom(6).hex()
    targets = [{"accountId": account} for account in chosen]
    return {"profileId": profile, "text": text, "targets": targets, "scheduledAt": WHEN}


async def prepare(context: AppContext) -> Workspace:
    """Create a workspace with 60 accounts and 1,000 posts to three of them."""
    async with context.database.transaction() as db:
        owner = await sign_up.create_owner(
            context, db, email="bench@example.test", password="not a secret at all", workspace_name="Bench"
        )
        _, key = await api_keys.create_key_for(
            db, context.keys, user_id=owner.user_id, workspace_id=owner.workspace_id, name="Bench"
        )
    caller = await authenticator(context)(key, None, "127.0.0.1")
    profile = ids.encode("prof", owner.profile_id)
    for number in range(ACCOUNTS):
        data = AccountConnect(profile_id=ProfileId(int=owner.profile_id.int), fields={"username": f"bench{number}"})
        await connect.connect_account(context, caller, "sandbox", data)
    async with context.database.connection() as db:
        account_ids = [row[0] for row in await db.fetch("select id from account order by id")]
    names = [ids.encode("acc", account_id) for account_id in account_ids]
    transport = httpx.ASGITransport(app=app.create(context))
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://bench.test", headers=headers) as client:
        for _ in range(POSTS):
            response = await client.post("/api/v1/posts", json=body(profile, names[:3]))
            response.raise_for_status()
    post = response.json()["id"]
    known = uuids([caller.workspace_id, caller.user_id, caller.key_id, owner.profile_id, *account_ids])
    return Workspace(key, profile, names, post, known | {ids.decode("pst", post) or UUID(int=0)})


def creates(profile: str, names: Sequence[str]) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return functions that make bodies, by the name of the request."""
    turn = iter(range(1_000_000_000))

    def next_three() -> list[str]:
        first = next(turn) * 3
        return [names[(first + number) % len(names)] for number in range(3)]

    return {
        "create 1 target": lambda: body(profile, [names[next(turn) % 3]]),
        WITH_KEY: lambda: body(profile, [names[next(turn) % 3]]),
        "create 3 targets": lambda: body(profile, names[:3]),
        "create 3 of 60 accounts": lambda: body(profile, next_three()),
    }


@dataclass(frozen=True)
class Server:
    """A running server: what it is asked under which name."""

    port: int
    process_id: int
    key: str
    paths: dict[str, str]
    bodies: dict[str, Callable[[], dict[str, Any]]]

    async def measure(self, name: str, database: int, *, seconds: float) -> Run:
        """Load one path."""
        make = self.bodies.get(name)
        if make is None:
            request = request_bytes("GET", self.paths[name], self.key)
            asked: Callable[[], bytes] = lambda: request  # noqa: E731
        else:
            asked = lambda: request_bytes(  # noqa: E731
                "POST", self.paths[name], self.key, json.dumps(make()).encode(),
                f"Idempotency-Key: {uuid4()}\r\n" if name == WITH_KEY else "",
            )  # fmt: skip
        return await run(
            self.port, asked, expect=201 if make else 200, roots=[self.process_id, database], seconds=seconds
        )


@contextmanager
def running(*arguments: str, output: Path, **variables: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a Python module until the block ends."""
    with output.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments], env=environment() | variables, stdout=file, stderr=file
        )
    with ended(process):
        yield process


async def measure(cluster: Cluster, folder: Path, *, rounds: int, seconds: float) -> None:
    log.set_up(level="warning")
    settings = load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_BASE_URL": "http://bench.test"})
    async with app.open_context(settings, cluster.dsn()) as context:
        workspace = await prepare(context)
    bodies = creates(workspace.profile, workspace.accounts)
    paths = dict.fromkeys(bodies, "/api/v1/posts") | {
        "get": f"/api/v1/posts/{workspace.post}",
        "list 20": "/api/v1/posts?limit=20",
    }
    requests = {name: (path, bodies.get(name)) for name, path in paths.items() if name != WITH_KEY}
    recording = folder / "recording.pickle"
    operations = await record(settings, cluster.dsn(), workspace.key, requests, workspace.existing_ids)
    recording.write_bytes(pickle.dumps(operations))
    await create_database(cluster, "floor")
    ports, output = [str(free_port()) for _ in range(3)], folder / "log"
    serve = ["signalpost", "serve", "--data-dir", str(folder), "--port", ports[0]]
    with (
        running(*serve, output=output, SIGNALPOST_DATABASE_URL=cluster.dsn(), SIGNALPOST_LOG_FORMAT="json") as product,
        running("bench.bare_api", cluster.dsn(), ports[1], str(recording), output=output) as replay,
        running("bench.floor", cluster.dsn("floor"), ports[2], output=output) as least,
    ):
        for port in ports:
            await wait_for_port(int(port))
        servers = {
            "product": Server(
                int(ports[0]), product.pid, workspace.key, paths | {"health": "/api/v1/healthz/api"}, bodies
            ),
            "replay": Server(int(ports[1]), replay.pid, "", {name: f"/{quote(name)}" for name in requests}, bodies),
            "least": await least_server(int(ports[2]), least.pid),
        }
        for name, target in TARGETS.items():
            await report(name, target, servers, operations, cluster.pid(), rounds=rounds, seconds=seconds)


async def create_database(cluster: Cluster, name: str) -> None:
    connection = await asyncpg.connect(cluster.dsn())
    await connection.execute(f"create database {name}")
    await connection.close()


async def least_server(port: int, process_id: int) -> Server:
    """Fill the least floor with as many posts, and describe it."""
    bodies = creates(str(floor.PROFILE), [str(uuid4()) for _ in range(ACCOUNTS)])
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {floor.KEY}"}) as client:
        for _ in range(POSTS):
            response = await client.post(f"http://127.0.0.1:{port}/posts", json=bodies["create 3 targets"]())
            response.raise_for_status()
    paths = dict.fromkeys(bodies, "/posts") | {"list 20": "/posts", "health": "/"}
    return Server(port, process_id, floor.KEY, paths | {"get": f"/posts/{response.json()['id']}"}, bodies)


async def report(
    name: str,
    target: str,
    servers: dict[str, Server],
    operations: dict[str, Any],
    database: int,
    *,
    rounds: int,
    seconds: float,
) -> None:
    runs: dict[str, list[Run]] = {which: [] for which, server in servers.items() if name in server.paths}
    for number in range(rounds + 1):
        for which, results in runs.items():
            result = await servers[which].measure(name, database, seconds=seconds)
            if number:  # the first round warms up
                results.append(result)
    rates = {which: statistics.median(one.per_second for one in results) for which, results in runs.items()}
    cpu = {
        which: [
            statistics.median(one.cpu_ms[0] for one in results),
            statistics.median(sum(one.cpu_ms) for one in results),
        ]
        for which, results in runs.items()
    }
    count = len(operations[name]["statements"]) if name in operations else 0
    rate = " | ".join(f"{rates[which]:,.0f}" if which in rates else "" for which in servers)
    cost = " | ".join("{:.2f} / {:.2f}".format(*cpu[which]) if which in cpu else "" for which in servers)
    share, ratio = rates["product"] / rates["least"], cpu["product"][1] / cpu["least"][1]
    print(f"| {name} | {count} | {rate} | {share:.2f} | {cost} | {ratio:.1f} | {target} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one short round each")
    options = parser.parse_args()
    with temporary_folder() as folder:
        cluster = start_postgres(folder)
        try:
            asyncio.run(migrate(cluster.dsn()))
            print(
                "| request | statements | product req/s | replay req/s | least req/s | share of the least "
                "| product CPU ms | replay CPU ms | least CPU ms | ratio to the least | target |"
            )
            print("|" + "---|" * 11)
            rounds, seconds = (1, 2.0) if options.quick else (3, 4.0)
            uvloop.run(measure(cluster, folder, rounds=rounds, seconds=seconds))
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
