"""`webhooks listen`, `trigger` and `resend`: what happens at an instance reaches a program on this machine."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook as StandardWebhook
from tests.counterparts.tools import free_port
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.limits import pauses
from tests.helpers.served import served
from tests.helpers.webhooks import ReceivedRequest, Receiver, deliveries, emit, post_published, receiver_server

from signalpost.kit.db import Database
from signalpost.kit.errors import OperatorError
from signalpost.kit.http import Client
from signalpost.main import listen
from signalpost.main.listen import Listener, Screen
from signalpost.main.remote import KEY, Refused, Remote


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(listen, "RETRY_SECONDS", (0.02,))


@pytest.fixture
async def http() -> AsyncIterator[Client]:
    async with Client((), "test") as client:
        yield client


@asynccontextmanager
async def listening(listener: Listener, **options: Any) -> AsyncIterator[str]:
    webhook_id = await listener.open([], **({"new_secret": False, "only_new": False} | options))
    task = asyncio.create_task(listener.run(webhook_id))
    try:
        yield webhook_id
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def all_arrived(api: Api, owner: Login, webhook_id: str, count: int) -> list[dict[str, Any]]:
    """Wait until so many deliveries have a result at the instance."""
    pause = pauses()
    async with asyncio.timeout(300):
        while True:
            rows = await deliveries(api, owner, {"id": webhook_id}, state="delivered")
            if len(rows) == count:
                return rows
            await asyncio.sleep(next(pause))


async def received(receiver: Receiver, delivery_id: str) -> ReceivedRequest:
    """Wait for this delivery: a worker of another test may still send to a port that was that of its receiver."""

    def found() -> list[ReceivedRequest]:
        return [request for request in receiver.requests if request.json["id"] == delivery_id]

    async with asyncio.timeout(300), receiver.arrived:
        await receiver.arrived.wait_for(lambda: bool(found()))
    return found()[0]


async def test_events_are_forwarded_through_restarts_of_either_side(
    api: Api, make: Make, database: Database, http: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """Instance and receiver are away for a while, then the listener itself: each event arrives once, signed."""
    owner = await make.owner()
    async with receiver_server() as receiver:
        async with served(api.app) as at:
            remote = Remote(http, f"http://127.0.0.1:{at}", owner.key)
            listener = Listener(remote, http, receiver.url, Screen(as_json=True))
            async with listening(listener) as webhook_id:
                await emit(database, post_published(owner))
                await receiver.wait(1)
                await all_arrived(api, owner, webhook_id, 1)
        await emit(database, post_published(owner), post_published(owner))  # neither instance nor listener runs
        async with served(api.app, at), listening(listener) as again:
            assert again == webhook_id
            await receiver.wait(3)
            await all_arrived(api, owner, webhook_id, 3)
    secret = next(line for line in capsys.readouterr().err.splitlines() if "whsec_" in line).split()[4]
    for request in receiver.requests:
        StandardWebhook(secret).verify(request.body, request.headers)
    assert len({request.json["id"] for request in receiver.requests}) == len(receiver.requests) == 3


async def test_it_waits_for_an_instance_and_a_receiver_that_are_away(
    api: Api, make: Make, database: Database, http: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = await make.owner()
    said = ""
    forward = f"http://127.0.0.1:{free_port()}/"  # nobody is there yet
    async with served(api.app) as at:
        remote = Remote(http, f"http://127.0.0.1:{at}", owner.key)
        listener = Listener(remote, http, forward, Screen(as_json=False))
        webhook_id = await listener.open([], new_secret=False, only_new=False)
        await emit(database, post_published(owner))
    task = asyncio.create_task(listener.run(webhook_id))  # the instance is away
    try:
        async with asyncio.timeout(300):
            while "Trying again" not in (said := said + capsys.readouterr().err):
                await asyncio.sleep(0.02)
        async with served(api.app, at):
            async with asyncio.timeout(300):
                while "Waiting for it" not in (said := said + capsys.readouterr().err):
                    await asyncio.sleep(0.02)
            port = int(forward.rstrip("/").rpartition(":")[2])
            receiver = Receiver()
            server = await asyncio.start_server(lambda r, w: _answer(receiver, r, w), "127.0.0.1", port)
            await receiver.wait(1)
            await all_arrived(api, owner, webhook_id, 1)
            server.close()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert "answers again" in said
    shown = capsys.readouterr().out
    assert "post.published" in shown
    assert " 200 " in shown


async def _answer(receiver: Receiver, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    await reader.readexactly(length)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    await writer.drain()
    writer.close()
    async with receiver.arrived:
        receiver.requests.append(None)  # type: ignore[arg-type]
        receiver.arrived.notify_all()


async def test_options_and_the_other_commands(
    api: Api, make: Make, database: Database, http: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """What happened before is left out on request, a new secret replaces the old one; examples and resends arrive."""
    owner = await make.owner()
    async with receiver_server(status=500) as receiver, served(api.app) as at:
        remote = Remote(http, f"http://127.0.0.1:{at}", owner.key)
        with pytest.raises(OperatorError, match="--webhook"):
            await listen.trigger(remote, "post.published", None)
        listener = Listener(remote, http, receiver.url, Screen(as_json=True))
        await listener.open([], new_secret=False, only_new=False)
        await emit(database, post_published(owner))
        capsys.readouterr()
        async with listening(listener, new_secret=True, only_new=True):
            secret = next(word for word in capsys.readouterr().err.split() if word.startswith("whsec_"))
            triggered = await listen.trigger(remote, "post.failed", None)
            request = await received(receiver, triggered["id"])
            StandardWebhook(secret).verify(request.body, request.headers)
            async with asyncio.timeout(300):
                while not await deliveries(
                    api, owner, {"id": triggered["webhookId"]}, state="failed", type="post.failed"
                ):
                    await asyncio.sleep(0.02)
            receiver.status = 200
            assert (await listen.resend(remote, triggered["id"], None))["state"] == "pending"
            await receiver.wait(2)
        with pytest.raises(OperatorError, match="No webhook has"):
            await listen.resend(remote, "dlv_01M7Z0000000000000000000AB", None)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["event"]["type"] for line in lines} == {"post.failed"}
    assert lines[0]["result"]["status"] == 500


async def test_the_command_runs_until_it_is_interrupted(
    api: Api, make: Make, database: Database, tmp_path: Path
) -> None:
    """As a person types it: one line per event, exit status 130, and nothing left behind with --remove."""
    owner = await make.owner()
    async with receiver_server() as receiver, served(api.app) as at:
        ours = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALPOST_")}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "signalpost", "webhooks", "listen", "--forward", receiver.url, "--json", "--remove",
            "--api-url", f"http://127.0.0.1:{at}",
            cwd=tmp_path, env=ours | {KEY: owner.key}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        async with asyncio.timeout(300):
            while b"Forwarding events" not in await process.stderr.readline():
                pass
            await emit(database, post_published(owner))
            line = json.loads(await process.stdout.readline())
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 130
        assert (line["event"]["type"], line["result"]["status"]) == ("post.published", 200)
        assert (await api.get("/webhooks", key=owner.key)).json()["data"] == []
        without_key = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "signalpost", "webhooks", "trigger", "post.published",
            cwd=tmp_path, env=ours, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        _, said = await without_key.communicate()
        assert (without_key.returncode, b"SIGNALPOST_API_KEY" in said, b"Traceback" in said) == (1, True, False)


async def test_a_wrong_key_is_refused_with_what_to_do(api: Api, http: Client) -> None:
    async with served(api.app) as at:
        remote = Remote(http, f"http://127.0.0.1:{at}", "sp_live_wrong")
        with pytest.raises(Refused, match="SIGNALPOST_API_KEY"):
            await remote.call("GET", "/webhooks")


async def test_an_address_without_a_scheme_is_refused_before_anything_is_created(http: Client) -> None:
    """The instance, which is not asked here, would want https: a laptop has none."""
    listener = Listener(Remote(http, "http://127.0.0.1:1", "sp_live_x"), http, "localhost:3000/hooks", Screen(True))
    with pytest.raises(OperatorError, match=r"such as http://localhost:3000/hooks, not 'localhost:3000/hooks'"):
        await listener.open([], new_secret=False, only_new=False)
