"""CPU per request of the whole stack against a bare ASGI app on the same SQL: `python -m bench.api [--quick]`.

One server process each, 32 connections, the same database. The product runs as `signalpost serve` does: sign-in, rate
limit, request log, engine. The floor (bench.bare_api) runs the very statements that the product sent, recorded here
from one request of each kind. Target: at most 2.5 times the CPU.
"""

import argparse
import asyncio
import json
import os
import pickle
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import msgspec
import uvloop

from bench.load import Run, free_port, run, wait_for_port
from signalpost.accounts import actions as accounts
from signalpost.accounts.schemas import AccountConnect
from signalpost.embedded_postgres.start import start_postgres
from signalpost.identity import actions as identity
from signalpost.identity.authenticate import authenticator
from signalpost.kit import ids
from signalpost.main import app
from signalpost.migrations.runner import migrate
from signalpost.settings import load
from signalpost.web.fields import ProfileId

_NOISE = ("BEGIN", "COMMIT", "SELECT t.oid", "select pg_catalog")
WHEN = "2027-11-01T12:00:00Z"


class Recorder(asyncpg.Connection):  # type: ignore[misc]  # untyped base
    """A connection that records every statement with its arguments."""

    log: list[tuple[str, tuple[Any, ...]]] = []  # noqa: RUF012 - one for all connections, on purpose

    def _log(self, query: str, arguments: tuple[Any, ...]) -> None:
        self.log.append((query, arguments))

    async def fetch(self, query: str, *args: Any, **options: Any) -> Any:
        self._log(query, args)
        return await super().fetch(query, *args, **options)

    async def fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        self._log(query, args)
        return await super().fetchrow(query, *args, **options)

    async def fetchval(self, query: str, *args: Any, **options: Any) -> Any:
        self._log(query, args)
        return await super().fetchval(query, *args, **options)

    async def execute(self, query: str, *args: Any, **options: Any) -> Any:
        if not query.startswith(_NOISE):
            self._log(query, args)
        return await super().execute(query, *args, **options)


def uuids(value: Any) -> set[UUID]:
    """Return the ids in arguments, at any depth."""
    if isinstance(value, UUID):
        return {value}
    if isinstance(value, msgspec.Struct):
        return uuids(msgspec.structs.astuple(value))
    if isinstance(value, list | tuple):
        return set().union(*(uuids(item) for item in value))
    return set()


async def prepare(dsn: str, folder: Path) -> dict[str, Any]:
    """Create a workspace with three accounts and 1,000 posts; record the statements of each operation."""
    settings = load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_BASE_URL": "http://bench.test"})
    async with app.open_context(settings, dsn) as context:
        async with context.database.transaction() as db:
            owner = await identity.create_owner(
                context,
                db,
                email="bench@example.test",
                password="not a secret at all",
                workspace_name="Bench",
            )
            _, key = await identity.create_key_for(
                db, context.keys, user_id=owner.user_id, workspace_id=owner.workspace_id, name="Bench"
            )
        caller = await authenticator(context)(key, None, "127.0.0.1")
        profile = ids.encode("prof", owner.profile_id)
        for number in range(3):
            data = AccountConnect(profile_id=ProfileId(int=owner.profile_id.int), fields={"username": f"bench{number}"})
            await accounts.connect_account(context, caller, "sandbox", data)
        transport = httpx.ASGITransport(app=app.create(context))
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test", headers=headers) as client:
            existing_ids = uuids([caller.workspace_id, caller.user_id, caller.key_id, owner.profile_id])
            async with context.database.connection() as db:
                existing_ids |= {row[0] for row in await db.fetch("select id from account")}
            workspace = {"key": key, "profile": profile}
            for _ in range(1_000):
                response = await client.post("/api/v1/posts", json=body(profile))
                assert response.status_code == 201, response.text
            workspace["post"] = response.json()["id"]
    workspace["operations"] = await record(
        settings, dsn, workspace, existing_ids | {ids.decode("pst", workspace["post"])}
    )
    return workspace


def body(profile: str) -> dict[str, Any]:
    text = "A post of an ordinary length, with a #tag and an address https://example.com/page " + os.urandom(6).hex()
    return {"profileId": profile, "text": text, "platforms": ["sandbox"], "scheduledAt": WHEN, "tags": ["bench"]}


async def record(settings: Any, dsn: str, workspace: dict[str, Any], existing_ids: set[UUID]) -> dict[str, Any]:
    connect = asyncpg.connect

    def connect_recorded(*args: Any, **options: Any) -> Any:
        return connect(*args, connection_class=Recorder, **options)

    asyncpg.connect = connect_recorded  # this application records what it sends
    operations: dict[str, Any] = {}
    try:
        async with app.open_context(settings, dsn) as context:
            transport = httpx.ASGITransport(app=app.create(context))
            headers = {"Authorization": f"Bearer {workspace['key']}"}
            async with httpx.AsyncClient(transport=transport, base_url="http://bench.test", headers=headers) as client:
                for name, path in (
                    ("get", f"/posts/{workspace['post']}"),
                    ("list", "/posts?limit=20"),
                    ("create", "/posts"),
                ):
                    for _ in range(2):  # the second one finds the caller in the cache
                        Recorder.log.clear()
                        if name == "create":
                            response = await client.post("/api/v1" + path, json=body(workspace["profile"]))
                        else:
                            response = await client.get("/api/v1" + path)
                    statements = list(Recorder.log)
                    operations[name] = {
                        "statements": statements,
                        "writes": name == "create",
                        "new": uuids([arguments for _, arguments in statements]) - existing_ids,
                        "answer": response.json(),
                        "status": response.status_code,
                    }
    finally:
        asyncpg.connect = connect
    return operations


def requests_of(workspace: dict[str, Any]) -> dict[str, Any]:
    head = f"Host: bench\r\nAuthorization: Bearer {workspace['key']}\r\n"

    def get(path: str) -> bytes:
        return f"GET /api/v1{path} HTTP/1.1\r\n{head}\r\n".encode()

    def create() -> bytes:
        text = json.dumps(body(workspace["profile"]))
        kind = f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
        return f"POST /api/v1/posts HTTP/1.1\r\n{head}{kind}\r\n{text}".encode()

    single, many = get(f"/posts/{workspace['post']}"), get("/posts?limit=20")
    return {"get": (lambda: single, 200), "list": (lambda: many, 200), "create": (create, 201)}


async def measure(dsn: str, folder: Path, *, rounds: int, seconds: float) -> None:
    workspace = await prepare(dsn, folder)
    recording = folder / "recording.pickle"
    recording.write_bytes(pickle.dumps(workspace["operations"]))
    ports = {"product": free_port(), "floor": free_port()}
    environment = os.environ | {"SIGNALPOST_DATABASE_URL": dsn, "SIGNALPOST_LOG_FORMAT": "json"}
    serve = [sys.executable, "-m", "signalpost", "serve", "--data-dir", str(folder), "--port", str(ports["product"])]
    bare = [sys.executable, "-m", "bench.bare_api", dsn, str(ports["floor"]), str(recording)]
    with (folder / "requests.log").open("wb") as log:
        servers = {
            "product": await asyncio.create_subprocess_exec(
                *serve, env=environment, stdout=subprocess.DEVNULL, stderr=log
            ),
            "floor": await asyncio.create_subprocess_exec(*bare),
        }
    try:
        for port in ports.values():
            await wait_for_port(port)
        await report(workspace, ports, servers, rounds=rounds, seconds=seconds)
    finally:
        for server in servers.values():
            server.send_signal(signal.SIGTERM)
        for server in servers.values():
            try:
                await asyncio.wait_for(server.wait(), 30)
            except TimeoutError:
                server.kill()


async def report(
    workspace: dict[str, Any], ports: dict[str, int], servers: Any, *, rounds: int, seconds: float
) -> None:
    sys.stdout.write("| request | statements | floor µs CPU | product µs CPU | ratio | product req/s | floor req/s |\n")
    sys.stdout.write("|---|---|---|---|---|---|---|\n")
    for name, (request, status) in requests_of(workspace).items():
        runs: dict[str, list[Run]] = {"floor": [], "product": []}
        for number in range(rounds + 1):
            for which, results in runs.items():
                result = await run(ports[which], request, expect=status, pid=servers[which].pid, seconds=seconds)
                if number:  # the first round warms up
                    results.append(result)
        floor = statistics.median(result.cpu_us for result in runs["floor"])
        product = statistics.median(result.cpu_us for result in runs["product"])
        speeds = [statistics.median(result.per_second for result in runs[which]) for which in ("product", "floor")]
        count = len(workspace["operations"][name]["statements"])
        sys.stdout.write(
            f"| {name} | {count} | {floor:.0f} | {product:.0f} | {product / floor:.2f} "
            f"| {speeds[0]:.0f} | {speeds[1]:.0f} |\n"
        )
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round each")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="signalpost-bench-"))
    folder.chmod(0o755)
    cluster = start_postgres(folder)
    try:
        asyncio.run(migrate(cluster.dsn()))
        rounds, seconds = (1, 2.0) if options.quick else (5, 4.0)
        uvloop.run(measure(cluster.dsn(), folder, rounds=rounds, seconds=seconds))
    finally:
        cluster.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
