"""`sp login` against a real service: a person grants the key, one terminal has it, and `sp logout` ends it."""

import asyncio
import json
import os
import re
import secrets
import signal
import stat
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clients.conftest import Instance
from tests.clients.drivers import WITHOUT_TLS
from tests.clients.test_terminal import ENVIRONMENT
from tests.helpers.http_servers import answering, response, serve

from signalpost.api_keys.actions import device_logins
from signalpost_client.cli import _exits

pytestmark = pytest.mark.xdist_group("clients")
CODE = re.compile(rf"[{device_logins.ALPHABET}]{{4}}-[{device_logins.ALPHABET}]{{4}}")


@dataclass
class Person:
    """Someone with a browser."""

    http: httpx.AsyncClient

    async def does(self, what: str, body: Any) -> Any:
        answer = await self.http.post(what, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    async def keys(self) -> dict[str, str]:
        """The state of each of their keys."""
        return {row["name"]: row["status"] for row in (await self.http.get("/api-keys")).json()["data"]}


@pytest.fixture
async def person(instance: Instance) -> AsyncIterator[Person]:
    async with httpx.AsyncClient(base_url=f"{instance.url}/api/v1", verify=WITHOUT_TLS, timeout=60) as http:
        account = {"email": f"ada-{secrets.token_hex(6)}@example.test", "password": secrets.token_urlsafe(12)}
        signed_up = (await http.post("/auth/register", json=account)).json()
        http.headers["Authorization"] = f"Bearer {signed_up['accessToken']}"
        yield Person(http)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service lets terminals ask as often as they like."""
    monkeypatch.setattr(device_logins, "INTERVAL_SECONDS", 0)


@dataclass
class Typing:
    """`sp` in a terminal of its own."""

    folder: Path

    async def starts(self, *arguments: str) -> Process:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SIGNALPOST_", "SP_"))}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "signalpost_client.cli", *arguments,
            env={**environment, **ENVIRONMENT, "SP_CONFIG_DIR": str(self.folder)},
            stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip

    @asynccontextmanager
    async def signs_in(self, url: str, *arguments: str) -> AsyncIterator[tuple[Process, str]]:
        """`sp login`, and the code that it shows."""
        program = await self.starts("login", "--url", url, "--no-browser", *arguments)
        assert program.stderr is not None
        try:
            while not (code := CODE.search(line := (await program.stderr.readline()).decode())):
                assert line, "it ended without a code"
            yield program, code[0]
        finally:
            if program.returncode is None:
                program.kill()
                await program.communicate()

    async def runs(self, *arguments: str) -> tuple[int | None, str, str]:
        return await ended(await self.starts(*arguments))

    def stored(self) -> Any:
        return json.loads((self.folder / "servers.json").read_text())["servers"]


async def ended(program: Process) -> tuple[int | None, str, str]:
    out, problems = await program.communicate()
    assert b"Traceback" not in problems, problems.decode()
    return program.returncode, out.decode(), problems.decode()


@pytest.fixture
def sp(tmp_path: Path) -> Typing:
    return Typing(tmp_path / "config")


async def test_a_person_grants_the_key_and_logout_revokes_it(instance: Instance, person: Person, sp: Typing) -> None:
    async with sp.signs_in(instance.url, "--name", "work") as (program, code):
        seen = await person.does("/device-logins/lookup", {"userCode": code})
        granted = await person.does("/device-logins/approve", {"userCode": code, "scopes": ["posts:read"]})
        status, out, _ = await ended(program)
    assert (status, out.startswith("Signed in to work: ")) == (0, True)
    assert granted["name"] == f"sp on {seen['deviceName']}"
    assert stat.S_IMODE((sp.folder / "servers.json").stat().st_mode) == 0o600
    assert (await sp.runs("me", "--json"))[1].count(granted["id"]) == 1
    assert await person.keys() == {granted["name"]: "active"}

    status, out, _ = await sp.runs("logout")
    assert (status, out) == (0, "The key of work is revoked and forgotten.\n")
    assert await person.keys() == {granted["name"]: "revoked"}
    assert (sp.stored(), (await sp.runs("me"))[0]) == ({}, _exits.NOT_SIGNED_IN)


async def test_servers_have_keys_of_their_own_and_a_second_login_ends_the_first_key(
    instance: Instance, person: Person, sp: Typing
) -> None:
    for name, mode in (("shop", "live"), ("shop", "test"), ("home", "live")):
        async with sp.signs_in(instance.url, "--name", name) as (program, code):
            await person.does("/device-logins/approve", {"userCode": code, "mode": mode})
            assert (await ended(program))[0] == 0
    stored = sp.stored()
    assert set(stored) == {"shop", "home"}
    assert stored["shop"]["key"].startswith("sp_test_")
    listed = (await person.http.get("/api-keys")).json()["data"]
    assert sorted((row["mode"], row["status"]) for row in listed) == [
        ("live", "active"), ("live", "revoked"), ("test", "active"),
    ]  # fmt: skip
    await sp.runs("logout", "shop", "--keep-key")
    assert set(sp.stored()) == {"home"}
    states = {(row["mode"], row["status"]) for row in (await person.http.get("/api-keys")).json()["data"]}
    assert ("test", "active") in states, "it was only forgotten"


async def test_a_refused_terminal_has_nothing(instance: Instance, person: Person, sp: Typing) -> None:
    async with sp.signs_in(instance.url) as (program, code):
        await person.does("/device-logins/refuse", {"userCode": code})
        status, out, problems = await ended(program)
    assert (status, out) == (_exits.NOT_SIGNED_IN, "")
    assert "The key was refused." in problems
    assert not (sp.folder / "servers.json").exists()


async def test_ctrl_c_ends_it(instance: Instance, sp: Typing) -> None:
    async with sp.signs_in(instance.url) as (program, _):
        program.send_signal(signal.SIGINT)
        status, _, _ = await ended(program)
    assert status == _exits.INTERRUPTED
    assert not (sp.folder / "servers.json").exists()


@pytest.mark.parametrize("fault", ["request", "answer"])
async def test_a_lost_answer_does_not_lose_the_key(instance: Instance, person: Person, sp: Typing, fault: str) -> None:
    """The answer with the key gets lost: the same question brings it again."""
    asks, granted = asyncio.Event(), asyncio.Event()
    lost = [fault]

    def loses(_number: int, request: bytes) -> str | None:
        if b"/device-logins/token" not in request.partition(b"\r\n")[0]:
            return None
        asks.set()
        # Nothing is under way to the service while the person decides: the first answer about the key has it.
        if not granted.is_set():
            return "request"
        return lost.pop() if lost else None

    async with instance.unreliable(loses) as network, sp.signs_in(network.url) as (program, code):
        await asks.wait()
        await person.does("/device-logins/approve", {"userCode": code})
        granted.set()
        status, _, problems = await ended(program)
    assert (status, lost) == (0, []), problems
    assert list((await person.keys()).values()) == ["active"]


async def test_a_service_that_is_older_or_hostile_is_said(sp: Typing) -> None:
    old = response(404, b'{"code": "not_found", "title": "Not found"}', "Content-Type: application/problem+json")
    codes = {
        "deviceCode": "x", "userCode": "BBBB-BBBB", "verificationUri": "file:///etc/passwd",
        "verificationUriComplete": "file:///etc/passwd", "expiresAt": "2126-01-01T00:00:00.000Z", "intervalSeconds": 0,
    }  # fmt: skip
    hostile = response(201, json.dumps(codes).encode(), "Content-Type: application/json")
    for answer, said in ((old, "older than `sp`"), (hostile, "no browser opens")):
        async with serve(answering(answer)) as server:
            status, out, problems = await sp.runs("login", "--url", server.url, "--no-browser")
        assert (status, out) == (_exits.NOT_SIGNED_IN, "")
        assert said in problems
