"""Reads of the rooms: `python -m bench.rooms [--quick] [--only NAME]`, against a floor that replays their statements.

One server process each, 32 connections, one database, as in bench.api. The floor (bench.bare_api) runs the very
statements that the product sent, and encodes the same response. CPU is of all processes, per request.
A room adds a line to ROUTES and, if its list would be empty, what fills it to FILL.
"""

import argparse
import asyncio
import pickle
import statistics
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import uvloop

from bench.api import Server, running
from bench.load import Run, free_port, wait_for_port
from bench.recording import record
from bench.service import temporary_folder
from signalpost.api_keys.actions import keys as api_keys
from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.start import start_postgres
from signalpost.identity.actions import sign_up
from signalpost.kit import log
from signalpost.main import app
from signalpost.migrations.runner import migrate
from signalpost.settings import Settings, load

MEMBERS = 20


class Route(NamedTuple):
    """What is read, and at most how many times the CPU of the floor it may take."""

    path: str
    goal: float


ROUTES: Mapping[str, Route] = {
    f"team of {MEMBERS}": Route("/api/v1/team", 3.0),
}


async def invite_members(client: httpx.AsyncClient) -> None:
    """Invite people, without mail."""
    for number in range(MEMBERS - 1):
        data = {"email": f"member-{number}@example.test", "role": "editor", "sendEmail": False}
        (await client.post("/api/v1/team/invite", json=data)).raise_for_status()


FILL: tuple[Callable[[httpx.AsyncClient], Awaitable[None]], ...] = (invite_members,)


async def prepare(settings: Settings, dsn: str) -> str:
    """Create a workspace and fill its rooms; return a key."""
    async with app.open_context(settings, dsn) as context:
        async with context.database.transaction() as db:
            owner = await sign_up.create_owner(
                context, db, email="bench@example.test", password="not a secret at all", workspace_name="Bench"
            )
            _, key = await api_keys.create_key_for(
                db, context.keys, user_id=owner.user_id, workspace_id=owner.workspace_id, name="Bench"
            )
        transport = httpx.ASGITransport(app=app.create(context))
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test", headers=headers) as client:
            for fill in FILL:
                await fill(client)
    return key


async def measure(cluster: Cluster, folder: Path, *, names: list[str], rounds: int, seconds: float) -> None:
    log.set_up(level="warning")
    settings = load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_BASE_URL": "http://bench.test"})
    key = await prepare(settings, cluster.dsn())
    paths = {name: ROUTES[name].path for name in names}
    requests: dict[str, tuple[str, Any]] = {name: (path, None) for name, path in paths.items()}
    operations = await record(settings, cluster.dsn(), key, requests, set())
    recording = folder / "recording.pickle"
    recording.write_bytes(pickle.dumps(operations))
    ports, output = [str(free_port()) for _ in range(2)], folder / "log"
    serve = ["signalpost", "serve", "--data-dir", str(folder), "--port", ports[0]]
    with (
        running(*serve, output=output, SIGNALPOST_DATABASE_URL=cluster.dsn(), SIGNALPOST_LOG_FORMAT="json") as product,
        running("bench.bare_api", cluster.dsn(), ports[1], str(recording), output=output) as replay,
    ):
        for port in ports:
            await wait_for_port(int(port))
        servers = [
            Server(int(ports[0]), product.pid, key, paths, {}),
            Server(int(ports[1]), replay.pid, "", {name: f"/{quote(name)}" for name in names}, {}),
        ]
        for name in names:
            await report(name, servers, len(operations[name]["statements"]), cluster.pid(), rounds, seconds)


async def report(name: str, servers: list[Server], statements: int, database: int, rounds: int, seconds: float) -> None:
    runs: list[list[Run]] = [[] for _ in servers]
    for number in range(rounds + 1):
        for server, results in zip(servers, runs, strict=True):
            result = await server.measure(name, database, seconds=seconds)
            if number:  # the first round warms up
                results.append(result)
    rates = [statistics.median(result.per_second for result in results) for results in runs]
    cpu = [statistics.median(sum(result.cpu_ms) for result in results) for results in runs]
    print(
        f"| {name} | {statements} | {rates[0]:,.0f} | {rates[1]:,.0f} | {cpu[0]:.2f} | {cpu[1]:.2f}"
        f" | {cpu[0] / cpu[1]:.1f} | <= {ROUTES[name].goal}x |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one short round each")
    parser.add_argument("--only", choices=ROUTES, help="one of the routes")
    options = parser.parse_args()
    names = [options.only] if options.only else list(ROUTES)
    with temporary_folder() as folder:
        cluster = start_postgres(folder)
        try:
            asyncio.run(migrate(cluster.dsn()))
            print("| read | statements | product req/s | floor req/s | product CPU ms | floor CPU ms | ratio | goal |")
            print("|" + "---|" * 8)
            rounds, seconds = (1, 2.0) if options.quick else (3, 4.0)
            uvloop.run(measure(cluster, folder, names=names, rounds=rounds, seconds=seconds))
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
