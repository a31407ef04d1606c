"""The service as an operator has it: a process started from the command line, spoken to over HTTP."""

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx
from tests.counterparts.tools import CHECKOUT, free_port, listens
from tests.helpers.canaries import CANARIES, secrets_of
from tests.helpers.limits import TEST_SECONDS, pauses

PROGRAM = CHECKOUT / ".venv" / "bin" / "signalpost"
KILLED_BY_FAILPOINT = 137
_OWNER = "owner.json"
"""Beside the data folder, if it has an owner that was made for all tests: what `create-owner` printed."""
_WITHOUT_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Without certificates of authorities, which take 20 ms to load for each client."""
_ENVIRONMENT = {
    "SIGNALPOST_ALLOWED_PRIVATE_HOSTS": "127.0.0.1",
    "SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS": "true",
    "SIGNALPOST_LOG_FORMAT": "json",
    "SIGNALPOST_LOG_LEVEL": "debug",
}


class NotThere(Exception):
    """What was waited for did not come; the message ends with the service's last log lines."""


class Service:
    """A data folder and a port, and at times a process that serves them."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = settings
        self.port = free_port()
        self.process: asyncio.subprocess.Process | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.returncode is None

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    @property
    def greeting(self) -> str:
        """Everything that was printed for people, over all starts."""
        return (self.folder / "greeting").read_text()

    async def start(self, *arguments: str, **environment: str) -> Self:
        """Start it and wait until it is healthy; fails when it ends instead."""
        await self.launch("--port", str(self.port), *arguments, **environment)
        async with httpx.AsyncClient(verify=_WITHOUT_TLS) as client:

            async def healthy() -> bool:
                assert self.runs, self.log[-3000:]
                if not await listens(self.port):
                    return False
                try:
                    answer = await client.get(f"{self.base_url}/api/v1/healthz/api")
                except httpx.TransportError:
                    return False
                return answer.status_code == 200 and answer.json()["status"] == "ok"

            await self.until(healthy, "a healthy answer")
        return self

    async def launch(self, *arguments: str, command: str = "serve", **environment: str) -> asyncio.subprocess.Process:
        """Start `signalpost serve`, or another command that stays, without waiting for anything."""
        with (self.folder / "log").open("ab") as log, (self.folder / "greeting").open("ab") as greeting:
            self.process = await asyncio.create_subprocess_exec(
                PROGRAM, command, "--data-dir", str(self.folder / "data"), *arguments,
                stdout=greeting, stderr=log, env=self.environment(environment), cwd=self.folder,
            )  # fmt: skip
        return self.process

    async def kill(self) -> None:
        """End it by kill -9, as the kernel does when memory runs out. The database outlives it."""
        assert self.process is not None
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """SIGTERM; returns the exit code."""
        assert self.process is not None
        self.process.terminate()
        return await self.ended()

    async def ended(self, within_seconds: float = TEST_SECONDS) -> int:
        """Wait for its end; returns the exit code."""
        assert self.process is not None
        async with asyncio.timeout(within_seconds):
            return await self.process.wait()

    async def command(self, *arguments: str, text_in: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `signalpost` to its end."""
        return await asyncio.to_thread(
            subprocess.run, [PROGRAM, *arguments, "--data-dir", str(self.folder / "data")], input=text_in,
            capture_output=True, text=True, timeout=TEST_SECONDS, check=False,
            env=self.environment(environment), cwd=self.folder,
        )  # fmt: skip

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """What the process finds: nothing of the tests' own settings."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALPOST_")}
        return ours | _ENVIRONMENT | self.settings | dict(more)

    async def owner(self) -> "Api":
        """Make an owner on the command line while the service runs, unless there is one, and speak with their key."""
        prepared = self.folder / _OWNER
        if prepared.exists():
            return Api(self, json.loads(prepared.read_text()))
        arguments = ("create-owner", "--email", "owner@example.test", "--password", "-", "--workspace", "Bakery")
        done = await self.command(*arguments, "--json", text_in="correct horse battery\n")
        assert done.returncode == 0, done.stderr
        return Api(self, json.loads(done.stdout))

    async def until(self, condition: Any, what: str, seconds: float = TEST_SECONDS) -> Any:
        """Ask `condition()` until it gives something true; returns that."""
        try:
            async with asyncio.timeout(seconds):
                pause = pauses()
                while not (found := await condition()):
                    await asyncio.sleep(next(pause))
        except TimeoutError:
            log = self.log[-3000:]
            raise NotThere(f"no {what} within {seconds} s. Last words:\n{log}") from None
        return found

    async def close(self) -> None:
        """End the service and its database, whatever state they are in, and remove the folder."""
        if self.runs:
            await self.kill()
        if (self.folder / "log").exists():
            CANARIES.says(self.log)
        if (self.folder / "data" / "postgres").exists():
            from signalpost.embedded_postgres.start import start_postgres

            cluster = await asyncio.to_thread(start_postgres, self.folder / "data")
            await asyncio.to_thread(cluster.stop)
        shutil.rmtree(self.folder)


class Api:
    """Plain HTTP with one owner's key; a response that is not a success fails the test."""

    def __init__(self, service: Service, owner: Mapping[str, Any]) -> None:
        self.service = service
        self.profile: str = owner["profileId"]
        self.key: str = owner["apiKey"]
        CANARIES.add(self.key)

    async def call(self, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.key}"}
        # A connection of its own for each: the service is restarted in between.
        base_url = f"{self.service.base_url}/api/v1"
        options = {"timeout": TEST_SECONDS} | options
        async with httpx.AsyncClient(base_url=base_url, headers=headers, verify=_WITHOUT_TLS) as client:
            answer = await client.request(method, path, **options)
        assert answer.is_success, f"{answer.status_code} {answer.text}\n{self.service.log[-3000:]}"
        document = answer.json() if answer.content else None
        if method == "POST":
            for secret in secrets_of(document):
                CANARIES.add(secret)
        return document

    async def get(self, path: str, **options: Any) -> Any:
        return await self.call("GET", path, **options)

    async def post(self, path: str, **options: Any) -> Any:
        return await self.call("POST", path, **options)

    async def connect(self, platform: str, **fields: str) -> Any:
        for secret in secrets_of(fields):
            CANARIES.add(secret)
        return await self.post(f"/platforms/{platform}/connect", json={"profileId": self.profile, "fields": fields})

    async def publish(self, platforms: Sequence[str], text: str, **fields: Any) -> Any:
        body = {"profileId": self.profile, "platforms": list(platforms), "text": text} | fields
        return await self.post("/posts", json=body)

    async def ends(self, post: Mapping[str, Any], status: str = "published", seconds: float = TEST_SECONDS) -> Any:
        """Wait until the post has that status; returns the post as it is then."""

        async def ended() -> bool:
            now = await self.get(f"/posts/{post['id']}/status")
            assert now["status"] in (status, "scheduled", "queued", "publishing"), now
            return bool(now["status"] == status)

        await self.service.until(ended, f"post with status {status}", seconds)
        return await self.get(f"/posts/{post['id']}")


@contextlib.asynccontextmanager
async def installed(**settings: str) -> AsyncIterator[Service]:
    """A service that was never started, in a folder of its own; `settings` hold for every start."""
    folder = Path(tempfile.mkdtemp(prefix="signalpost-e2e-"))
    os.chmod(folder, 0o755)  # noqa: PTH101, S103 - the database's account must get through when we are root
    service = Service(folder, **settings)
    try:
        yield service
    finally:
        await service.close()


@contextlib.asynccontextmanager
async def installed_with_owner(**settings: str) -> AsyncIterator[Service]:
    """A service that was started before, and whose owner is there already: `owner()` only speaks with their key.

    A new data folder and its first owner take nearly three seconds of processor time. So they are made once in a run of
    the tests, by the commands that people use, and copied; for what is about either of them, use `installed`.
    """
    prepared = await _with_owner()
    async with installed(**settings) as service:
        await _copy(prepared / "data", service.folder / "data")
        (service.folder / _OWNER).write_bytes((prepared / _OWNER).read_bytes())
        yield service


async def _with_owner() -> Path:
    """The folder that is copied, which the first process that needs it makes. It ends with the folder of the run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    folder = Path(tempfile.gettempdir()) / f"signalpost-with-owner-{run}"
    with folder.with_suffix(".lock").open("w") as lock:
        await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
        if not folder.exists():
            async with installed() as service:
                owner = await (await service.start()).owner()
                assert await service.stop() == 0, service.log[-3000:]
                (service.folder / _OWNER).write_text(json.dumps({"profileId": owner.profile, "apiKey": owner.key}))
                service.folder.rename(folder)
                service.folder.mkdir()
    return folder


async def _copy(source: Path, target: Path) -> None:
    """Owners and permissions remain: the database has an account of its own."""
    done = await asyncio.to_thread(
        subprocess.run, ["cp", "-a", source, target], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def postmaster(service: Service) -> int | None:
    """Process id of the service's embedded database; None when it was stopped."""
    file = service.folder / "data" / "postgres" / "cluster" / "postmaster.pid"
    return int(file.read_text().split()[0]) if file.exists() else None


def kill_postmaster(service: Service) -> None:
    """End it by kill -9 of the embedded database."""
    process_id = postmaster(service)
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)
