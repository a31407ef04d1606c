"""The stage of a fault: an installation on a database of its own, tenants, processes that can be harmed, networks."""

import asyncio
import inspect
import itertools
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest
from tests.counterparts.tools import free_port
from tests.faults import processes
from tests.faults.hostile import HostileNetwork
from tests.faults.own_postgres import SECONDS_MAX
from tests.faults.processes import Process, Sabotage
from tests.faults.sabotage import named
from tests.helpers.api import Api
from tests.helpers.canaries import CANARIES
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import DidDirectory

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.main import app
from signalpost.settings import Settings

ENDED = ("published", "failed", "partial")
MOST = 0.75
"""The share of a few times that says how long something usually takes."""
_ALL_DONE = "not exists (select from target where next_attempt_at is not null)"


def sizes(name: str, *, quick: Any, heavy: Any) -> pytest.MarkDecorator:
    """Run a test with two sizes: a small one in `make test`, and the whole figure in `make faults`."""
    heavy_one = pytest.param(heavy, id="heavy", marks=[pytest.mark.heavy, pytest.mark.timeout(1200)])
    quick_one = pytest.param(quick, id="quick", marks=pytest.mark.small)
    return pytest.mark.parametrize(name, [quick_one, heavy_one])


@dataclass
class Tenant:
    """A workspace with its owner, who calls the API inside the test process."""

    scene: "Scene"
    login: Login

    async def call(self, method: str, path: str, want: int | None = 200, **options: Any) -> Any:
        """Call the API; returns the body. `want`: the status it must answer, None for any."""
        response = await self.scene.api.call(method, path, key=self.login.key, **options)
        assert want in (None, response.status_code), (method, path, response.status_code, response.text)
        return response.json() if response.content else None

    async def connect(self, platform: str, **fields: str) -> str:
        """Connect an account by a form of credentials; returns its id."""
        body = {"profileId": self.login.profile, "fields": fields}
        account: str = (await self.call("POST", f"/platforms/{platform}/connect", 201, json=body))["id"]
        return account

    async def sandbox(self, name: str = "sand") -> str:
        return await self.connect("sandbox", username=name)

    async def mastodon(self, network: HostileNetwork, name: str = "alice") -> str:
        return await self.connect("mastodon", instanceUrl=network.url, accessToken=f"tok-{name}")

    async def bluesky(self, network: HostileNetwork, name: str = "alice") -> str:
        self.scene.directory.add(f"{name}.test", network.url)
        fields = {"identifier": f"{name}.test", "appPassword": "abcd-abcd-abcd-abcd"}
        return await self.connect("bluesky", **fields, service=network.url)

    async def late_policy(self, *, tolerance_minutes: int = 720, gap_seconds: int = 0) -> None:
        body = {"latePolicy": {"toleranceMinutes": tolerance_minutes, "minGapSeconds": gap_seconds}}
        await self.call("PATCH", f"/profiles/{self.login.profile}", json=body)

    async def post(self, *accounts: str, text: str, **fields: Any) -> str:
        """Create a post for these accounts; returns its id."""
        post: str = (await self.call("POST", "/posts", 201, json=self.body(*accounts, text=text) | fields))["id"]
        return post

    def body(self, *accounts: str, text: str) -> dict[str, Any]:
        """The body of a request that creates a post for these accounts."""
        return {"profileId": self.login.profile, "text": text, "targets": [{"accountId": a} for a in accounts]}

    async def status(self, post: str) -> Any:
        return await self.call("GET", f"/posts/{post}/status")

    async def target(self, post: str) -> Any:
        """The post's only (or first) target, as the API shows it with the post."""
        return (await self.call("GET", f"/posts/{post}"))["targets"][0]

    async def ends(self, post: str, *states: str, seconds: float = SECONDS_MAX) -> Any:
        """Wait until the post has one of these states, by default any final one; returns its status."""

        async def ended() -> Any:
            status = await self.status(post)
            return status if status["status"] in (states or ENDED) else None

        return await self.scene.until(ended, f"{post} in {states or ENDED}", seconds)


class Scene:
    """An installation. The API is in this process, workers and servers are processes beside it."""

    def __init__(
        self,
        context: AppContext,
        api: Api,
        folder: Path,
        database: Database,
        directory: DidDirectory,
        networks: dict[str, str],
    ) -> None:
        self._networks = networks
        self.context, self.api, self.folder, self.directory = context, api, folder, directory
        self.database, self.dsn = database, database.dsn
        self.make = Make(context, api)
        self.processes: list[Process] = []
        self.trigger = folder / "trigger"
        """Create it to have the next sabotage that waits for it strike."""
        self._numbers = itertools.count(1)

    def put_network(self, key: str, url: str) -> None:
        """Have this installation find a network at this address, as an operator does by a variable."""
        self._networks[f"{key.upper()}_BASE_URL"] = url

    async def tenant(self) -> Tenant:
        return Tenant(self, await self.make.owner())

    async def tenants(self, count: int) -> list[Tenant]:
        return [await self.tenant() for _ in range(count)]

    async def workspaces(self, count: int) -> list[Tenant]:
        """Several workspaces of one owner."""
        first = await self.tenant()
        return [first, *[Tenant(self, await self.make.workspace(first.login)) for _ in range(count - 1)]]

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a process of this installation."""
        return {
            "SIGNALPOST_DATA_DIR": str(self.context.settings.data_dir),
            "SIGNALPOST_DATABASE_URL": self.dsn,
            "SIGNALPOST_DATABASE_CONNECTIONS_MAX": "8",
            "SIGNALPOST_ALLOWED_PRIVATE_HOSTS": "127.0.0.1",
            "SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS": "true",
            "SIGNALPOST_QUEUE_SECRET": "queue-secret-of-the-tests",
            **{f"SIGNALPOST_{name}": url for name, url in self._networks.items()},
        } | more

    def start_worker(self, *sabotage: Sabotage, **environment: str) -> Process:
        """Start a worker without waiting for it."""
        log_file = self.folder / f"worker-{next(self._numbers)}.log"
        sabotage = (partial(named, log_file.stem), *sabotage)
        process = processes.start("worker", self.environment(**environment), log_file, sabotage=sabotage)
        self.processes.append(process)
        return process

    async def worker(self, *sabotage: Sabotage, **environment: str) -> Process:
        """Start a worker and wait until it is registered."""
        before = await self._workers()  # not only how many: that of a killed one goes at some time
        process = self.start_worker(*sabotage, **environment)

        async def registered() -> bool:
            assert process.runs, process.log_file.read_text()[-3000:]
            return not await self._workers() <= before

        await self.until(registered, "a registered worker")
        return process

    async def _workers(self) -> set[Any]:
        return {row["id"] for row in await self.query("select id from worker")}

    async def serve(
        self, *sabotage: Sabotage, with_worker: bool = False, port: int | None = None, **environment: str
    ) -> Process:
        """Start `serve` and wait until it answers; without a port, at a free one."""
        port = port or free_port()
        process = processes.start(
            "serve", self.environment(**environment), self.folder / f"serve-{port}.log", port=port,
            with_worker=with_worker, sabotage=sabotage,
        )  # fmt: skip
        self.processes.append(process)
        async with self.client_at(port) as client:
            await self.until(lambda: self.answers(client), "an answering service")
        return process

    def client(self, process: Process, tenant: Tenant | None = None) -> httpx.AsyncClient:
        """A client of a `serve` process."""
        assert process.port is not None
        return self.client_at(process.port, tenant)

    @staticmethod
    def client_at(port: int, tenant: Tenant | None = None) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {tenant.login.key}"} if tenant else {}
        limits = httpx.Limits(max_connections=200)
        return httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api/v1", headers=headers, timeout=60, limits=limits)

    @staticmethod
    async def answers(client: httpx.AsyncClient) -> bool:
        """Whether a service answers at all."""
        with suppress(httpx.TransportError):
            return (await client.get("/healthz/api")).status_code in (200, 503)
        return False

    async def query(self, statement: str, *values: Any) -> list[asyncpg.Record]:
        """Look as the owner of the tables, who sees what all sessions do."""
        async with self.database.connection() as db:
            return list(await db.fetch(statement, *values))

    async def value(self, expression: str, *values: Any) -> Any:
        return (await self.query(f"select {expression}", *values))[0][0]

    async def until(self, condition: Callable[[], Any], what: str, seconds: float = SECONDS_MAX) -> Any:
        """Ask until there is something true, at once or awaited; returns that."""
        end = clock.monotonic() + seconds
        while True:
            found = condition()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return found
            assert clock.monotonic() < end, f"no {what} within {seconds:.0f} s\n{self.last_words()}"
            await asyncio.sleep(0.05)

    async def all_done(self, seconds: float = SECONDS_MAX) -> None:
        """Wait until no target of this installation is waiting for anything."""
        await self.until(lambda: self.value(_ALL_DONE), "end of all targets", seconds)

    async def skip_wait(self, seconds: float = 0.0) -> None:
        """Have every waiting target be due now, as if that time had passed."""
        await self.query(
            "update target set next_attempt_at = now() + make_interval(secs => $1) where next_attempt_at > now()",
            seconds,
        )
        await self.query("update lane set next_due_at = now(), not_before = null where kind = 'target'")

    async def age_sent_parts(self) -> None:
        """Have all first parts be sent minutes ago, so that a network is believed that one is missing."""
        at = clock.wire(clock.now() - timedelta(minutes=5))
        await self.query("update target set steps = jsonb_set(steps, '{part:0,at}', to_jsonb($1::text))", at)

    def last_words(self) -> str:
        """The ends of the logs of all processes."""
        return "\n".join(f"{file.name}: {file.read_text()[-1500:]}" for file in self._log_files())

    def _log_files(self) -> set[Path]:
        return {process.log_file for process in self.processes if process.log_file.exists()}

    def close(self) -> None:
        for process in self.processes:
            if process.runs:
                process.kill()
        for file in self._log_files():
            CANARIES.says(file.read_text(errors="replace"))


def post_id(text: str) -> UUID:
    found = ids.decode("pst", text)
    assert found is not None
    return found


def account_id(text: str) -> UUID:
    found = ids.decode("acc", text)
    assert found is not None
    return found


def percentile(numbers: Sequence[float], share: float) -> float:
    """The smallest number that `share` of all do not exceed.

    Of a few it is the largest, which is only what the machine did at that moment: a small test has to take `MOST`.
    """
    ordered = sorted(numbers)
    return ordered[math.ceil(round(len(ordered) * share, 9)) - 1]


@asynccontextmanager
async def open_scene(settings: Settings, dsn: str, folder: Path, *, pooler: str | None = None) -> AsyncIterator[Scene]:
    """Open the stage on a database; `pooler`: how the API inside the test process comes to it."""
    directory = DidDirectory()
    async with directory.serve() as url:
        networks = {**settings.networks, "BLUESKY_DIRECTORY_URL": url}
        settings = replace(settings, networks=networks)
        opened = app.open_context(settings, dsn, pooler=pooler, only_serves=pooler is not None)
        async with opened as context, Api(app.create(context)) as api:
            database = await Database.open(dsn, connections_max=8)
            scene = Scene(context, api, folder, database, directory, networks)
            try:
                yield scene
            finally:
                scene.close()
                await database.close()
