"""CPU per request of the whole stack against a bare ASGI app on the same SQL: `python -m bench.api [--quick]`.

One server process each, 32 connections, the same database. The product runs as `signalpost serve` does: sign-in, rate
limit, request log, engine. The floor (bench.bare_api) runs the very statements that the product sent, recorded here
from one request of each kind, in a transaction where the product uses one. Target: at most 2.5 times the CPU.
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
    """A connection that tells every statement and its arguments."""

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
    """Return the ids in arguments, however deep."""
    if isinstance(value, UUID):
        return {value}
    if isinstance(value, list | tuple):
        return set().union(*(uuids(item) for item in value))
    return set()


async def prepare(dsn: str, folder: Path) -> dict[str, Any]:
    """Make a workspace with three accounts and 1,000 posts; record what each operation does."""
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
            known = uuids([caller.workspace_id, caller.user_id, caller.key_id, owner.profile_id])
            async with context.database.connection() as db:
                known |= {row[0] for row in await db.fetch("select id from account")}
            found = {"key": key, "profile": profile}
            for _ in range(1_000):
                made = await client.post("/api/v1/posts", json=body(profile))
                assert made.status_code == 201, made.text
            found["post"] = made.json()["id"]
    found["operations"] = await record(settings, dsn, found, known | {ids.decode("pst", found["post"])})
    return found


def body(profile: str) -> dict[str, Any]:
    text = "A post of an ordinary length, with a #tag and an address https://example.com/page " + os.urandom(6).hex()
    return {"profileId": profile, "text": text, "platforms": ["sandbox"], "scheduledAt": WHEN, "tags": ["bench"]}


async def record(settings: Any, dsn: str, found: dict[str, Any], known: set[UUID]) -> dict[str, Any]:
    create_pool = asyncpg.create_pool

    def recorded_pool(*args: Any, **options: Any) -> Any:
        return create_pool(*args, connection_class=Recorder, **options)

    asyncpg.create_pool = recorded_pool  # the pool of this one application tells what it sends
    operations: dict[str, Any] = {}
    try:
        async with app.open_context(settings, dsn) as context:
            transport = httpx.ASGITransport(app=app.create(context))
            headers = {"Authorization": f"Bearer {found['key']}"}
            async with httpx.AsyncClient(transport=transport, base_url="http://bench.test", headers=headers) as client:
                for name, path in (
                    ("get", f"/posts/{found['post']}"),
                    ("list", "/posts?limit=20"),
                    ("create", "/posts"),
                ):
                    for _ in range(2):  # the second one finds the caller remembered
                        Recorder.log.clear()
                        if name == "create":
                            answer = await client.post("/api/v1" + path, json=body(found["profile"]))
                        else:
                            answer = await client.get("/api/v1" + path)
                    statements = list(Recorder.log)
                    operations[name] = {
                        "statements": statements,
                        "transaction": name == "create",
                        "new": uuids([arguments for _, arguments in statements]) - known,
                        "answer": answer.json(),
                        "status": answer.status_code,
                    }
    finally:
        asyncpg.create_pool = create_pool
    return operations


def requests_of(found: dict[str, Any]) -> dict[str, Any]:
    head = f"Host: bench\r\nAuthorization: Bearer {found['key']}\r\n"

    def get(path: str) -> bytes:
        return f"GET /api/v1{path} HTTP/1.1\r\n{head}\r\n".encode()

    def create() -> bytes:
        text = json.dumps(body(found["profile"]))
        kind = f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
        return f"POST /api/v1/posts HTTP/1.1\r\n{head}{kind}\r\n{text}".encode()

    one, many = get(f"/posts/{found['post']}"), get("/posts?limit=20")
    return {"get": (lambda: one, 200), "list": (lambda: many, 200), "create": (create, 201)}


async def measure(dsn: str, folder: Path, *, rounds: int, seconds: float) -> None:
    found = await prepare(dsn, folder)
    recording = folder / "recording.pickle"
    recording.write_bytes(pickle.dumps(found["operations"]))
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
        await report(found, ports, servers, rounds=rounds, seconds=seconds)
    finally:
        for server in servers.values():
            server.send_signal(signal.SIGTERM)
        for server in servers.values():
            try:
                await asyncio.wait_for(server.wait(), 30)
            except TimeoutError:
                server.kill()


async def report(found: dict[str, Any], ports: dict[str, int], servers: Any, *, rounds: int, seconds: float) -> None:
    sys.stdout.write("| request | statements | floor µs CPU | product µs CPU | ratio | product req/s | floor req/s |\n")
    sys.stdout.write("|---|---|---|---|---|---|---|\n")
    for name, (request, status) in requests_of(found).items():
        runs: dict[str, list[Run]] = {"floor": [], "product": []}
        for number in range(rounds + 1):
            for which, results in runs.items():
                one = await run(ports[which], request, expect=status, pid=servers[which].pid, seconds=seconds)
                if number:  # the first round warms up
                    results.append(one)
        floor = statistics.median(one.cpu_us for one in runs["floor"])
        product = statistics.median(one.cpu_us for one in runs["product"])
        speeds = [statistics.median(one.per_second for one in runs[which]) for which in ("product", "floor")]
        count = len(found["operations"][name]["statements"])
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
