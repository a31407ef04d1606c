"""One real service for all clients: over HTTP, with its worker, and a network that loses what it is told to lose."""

import asyncio
import dataclasses
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.clients.drivers import Node, Place
from tests.counterparts import tools
from tests.counterparts.tools import free_port
from tests.helpers.api import Api
from tests.helpers.engine import running
from tests.helpers.factories import Make
from tests.helpers.http_servers import Connection, Server, serve
from tests.helpers.served import served

from signalpost.context import AppContext
from signalpost.main import app, wiring


@dataclass
class Instance:
    """The service as clients see it."""

    url: str
    port: int
    make: Make

    async def place(self) -> Place:
        """A workspace of its own, with a sandbox account."""
        owner = await self.make.owner()
        account = await self.make.account(owner, username="bakery")
        return Place(self.url, owner.key, owner.profile, account["id"])

    @asynccontextmanager
    async def unreliable(self, loses: Callable[[int, bytes], str | bytes | None]) -> AsyncIterator[Server]:
        """An address that passes requests on, and fails as `loses(number, request)` says.

        None: it passes the answer on. "request": it ends the connection at once. "answer": the service carries the
        request out, and its answer is lost. Bytes: it answers that instead, as a proxy does.
        """

        async def script(connection: Connection) -> None:
            while True:
                request = await connection.request()
                fault = loses(len(connection.server.requests), request)
                if isinstance(fault, bytes):
                    await connection.send(fault)
                    continue
                if fault == "request":
                    connection.reset()
                    return
                answer = await self._passed_on(request, f"127.0.0.1:{connection.server.port}")
                if fault == "answer":
                    connection.reset()
                    return
                await connection.send(answer)

        async with serve(script) as server:
            yield server

    async def _passed_on(self, request: bytes, host: str) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head, _, body = request.partition(b"\r\n\r\n")
        head = head.replace(host.encode(), f"127.0.0.1:{self.port}".encode(), 1)
        writer.write(head + b"\r\nConnection: close\r\n\r\n" + body)
        answer = await reader.read()
        writer.close()
        return answer


@pytest.fixture(scope="module")
async def instance(context: AppContext, api: Api) -> AsyncIterator[Instance]:
    """The service on a port of its own, which the addresses that it gives out name."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = dataclasses.replace(context.settings, base_url=url)
    opened = dataclasses.replace(context, settings=settings, states={})
    opened.engine = wiring.engine(opened)
    async with served(app.create(opened), port), running(opened.engine):
        yield Instance(url, port, Make(context, api))


@pytest.fixture(scope="session", autouse=True)
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript client, compiled as `npm run build` does, by a compiler that is as strict as can be."""
    folder = tmp_path_factory.mktemp("typescript")
    compiler = tools.node_packages("clients") / "node_modules" / "typescript" / "bin" / "tsc"
    project = tools.CHECKOUT / "clients" / "typescript"
    command = [tools.node(), compiler, "--project", project, "--outDir", folder / "dist"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    (folder / "package.json").write_text((project / "package.json").read_text())
    shutil.copy(project / "src" / "schema.d.ts", folder / "dist")
    Node.dist = folder / "dist"
    return folder / "dist"


@pytest.fixture
async def place(instance: Instance) -> Place:
    return await instance.place()
