"""n8n itself with its database, served as to people in a browser."""

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import asyncpg
import httpx
from tests.counterparts import tools
from tests.counterparts.process import Program, running

START_SECONDS: Final = 240.0
_OWNER: Final = {
    "email": "owner@bakery.example", "firstName": "Ada", "lastName": "Baker", "password": "Rye-and-wheat-4711",
}  # fmt: skip


class RealN8n:
    """A running n8n: `owner` is signed in as its editor in a browser is."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.owner = httpx.AsyncClient(base_url=f"{url}/rest", timeout=60)

    async def ask(self, method: str, path: str, **rest: Any) -> Any:
        """Call the API of the editor, and return the `data` of what it answers."""
        response = await self.owner.request(method, path, **rest)
        assert response.is_success, (method, path, response.status_code, response.text)
        return response.json()["data"]

    async def credential(self, values: Mapping[str, str]) -> dict[str, str]:
        """Save a credential of the package for Signalpost, and return its reference for nodes."""
        body = {"name": "Signalpost", "type": "signalpostApi", "data": values}
        saved = await self.ask("POST", "/credentials", json=body)
        return {"id": saved["id"], "name": saved["name"]}

    async def check(self, credential: Mapping[str, str], values: Mapping[str, str]) -> str:
        """Test values of a credential as the editor does when it is saved: `OK` or `Error`."""
        body = {"credentials": {**credential, "type": "signalpostApi", "data": values}}
        return str((await self.ask("POST", "/credentials/test", json=body))["status"])

    async def workflow(self, name: str, *nodes: dict[str, Any]) -> Any:
        """Save a workflow of nodes that follow one another."""
        placed = [
            {"id": f"{name}-{index}", "typeVersion": 1, "position": [200 * index, 0], "parameters": {}} | node
            for index, node in enumerate(nodes)
        ]
        after = itertools.pairwise(placed)
        connections = {
            one["name"]: {"main": [[{"node": other["name"], "type": "main", "index": 0}]]} for one, other in after
        }
        body = {"name": name, "nodes": placed, "connections": connections, "settings": {}, "active": False}
        return await self.ask("POST", "/workflows", json=body)

    async def activate(self, workflow: Any, active: bool) -> Any:
        body = {"versionId": workflow["versionId"], "active": active}
        return await self.ask("PATCH", f"/workflows/{workflow['id']}", json=body)

    async def run(self, workflow: Any) -> str:
        """Run a workflow from its first node as the editor does, and return how the execution ended."""
        body = {"workflowData": workflow, "triggerToStartFrom": {"name": workflow["nodes"][0]["name"]}}
        started = await self.ask("POST", f"/workflows/{workflow['id']}/run", json=body)
        async with asyncio.timeout(START_SECONDS):
            while (ended := await self.ask("GET", f"/executions/{started['executionId']}"))["stoppedAt"] is None:
                await asyncio.sleep(0.1)
        return str(ended["status"])

    async def executions(self, workflow: Any) -> list[Any]:
        """All executions of a workflow, latest first, as soon as they have ended."""
        async with asyncio.timeout(START_SECONDS):
            while True:
                rows = (await self.ask("GET", "/executions"))["results"]
                found = [row for row in rows if row["workflowId"] == workflow["id"]]
                if all(row["stoppedAt"] for row in found):
                    return found
                await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def opened(folder: Path, dsn: str) -> AsyncIterator[RealN8n]:
    """Start n8n with the packages in `folder`/.n8n/nodes, and a database of its own on the server of this address."""
    port = tools.free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {
        "N8N_USER_FOLDER": str(folder), "N8N_PORT": str(port),
        "N8N_LISTEN_ADDRESS": "127.0.0.1", "WEBHOOK_URL": url, "N8N_SECURE_COOKIE": "false",
        "N8N_RUNNERS_BROKER_PORT": str(tools.free_port()),
        "N8N_DISABLED_MODULES": "mcp", "N8N_DIAGNOSTICS_ENABLED": "false", "N8N_TEMPLATES_ENABLED": "false",
        "N8N_VERSION_NOTIFICATIONS_ENABLED": "false", "N8N_PERSONALIZATION_ENABLED": "false",
    }  # fmt: skip
    program = tools.node_packages("n8n") / "node_modules" / "n8n" / "bin" / "n8n"
    async with (
        _database(dsn) as database,
        running(tools.node(), program, "start", folder=folder, environment=environment | database) as started,
    ):
        n8n = RealN8n(url)
        await started.wait_for_port(port, within_seconds=START_SECONDS)
        await _ready(n8n, started)
        await n8n.ask("POST", "/owner/setup", json=_OWNER)
        yield n8n
        await n8n.owner.aclose()


@contextlib.asynccontextmanager
async def _database(dsn: str) -> AsyncIterator[dict[str, str]]:
    """An empty database, as n8n's settings name it."""
    address, name = urlsplit(dsn), f"n8n_{secrets.token_hex(6)}"
    admin = await asyncpg.connect(dsn, database="postgres")
    await admin.execute(f"create database {name}")
    yield {
        "DB_TYPE": "postgresdb", "DB_POSTGRESDB_HOST": parse_qs(address.query)["host"][0],
        "DB_POSTGRESDB_USER": str(address.username), "DB_POSTGRESDB_DATABASE": name,
    }  # fmt: skip
    await admin.execute(f"drop database {name} with (force)")
    await admin.close()


async def _ready(n8n: RealN8n, program: Program) -> None:
    async with asyncio.timeout(START_SECONDS):
        while True:
            with contextlib.suppress(httpx.TransportError):
                settings = await n8n.owner.get("/settings")
                if settings.is_success and "json" in settings.headers.get("content-type", ""):
                    return
            if program.ended:
                raise program.failed("n8n ended")
            await asyncio.sleep(0.1)
