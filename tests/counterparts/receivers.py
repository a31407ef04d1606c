"""Two webhook receivers that check signatures with third-party code."""

import asyncio
import base64
import contextlib
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.counterparts import tools
from tests.counterparts.process import Program, running
from tests.helpers.limits import TEST_SECONDS


@dataclass(frozen=True)
class Delivery:
    """One request as it arrived; header names in lower case."""

    headers: Mapping[str, str]
    body: bytes
    verified: bool

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class OctokitReceiver:
    """Responds with 204 (or `status`) to a valid signature and 401 to an invalid or missing one, and reports both."""

    def __init__(self, url: str, program: Program) -> None:
        self.url = url
        self.deliveries: list[Delivery] = []
        self._program = program
        self._unread: asyncio.Queue[Delivery] = asyncio.Queue()
        self._confirmed: asyncio.Queue[None] = asyncio.Queue()

    async def use(self, secret: str, *, status: int = 204) -> None:
        """Expect signatures with `secret` from now on: it is only known once the webhook is registered."""
        await self._program.send({"secret": secret, "status": status})
        async with asyncio.timeout(TEST_SECONDS):
            await self._confirmed.get()

    async def delivery(self, *, within_seconds: float = TEST_SECONDS) -> Delivery:
        """The next delivery that was not returned yet; TimeoutError if none arrives."""
        async with asyncio.timeout(within_seconds):
            return await self._unread.get()

    async def listen(self) -> None:
        while True:
            line = await self._program.json_line(within_seconds=None)
            if "using" in line:
                self._confirmed.put_nowait(None)
                continue
            delivery = Delivery(line["headers"], base64.b64decode(line["body"]), line["verified"])
            self.deliveries.append(delivery)
            self._unread.put_nowait(delivery)


@contextlib.asynccontextmanager
async def octokit_receiver(secret: str | None = None) -> AsyncIterator[OctokitReceiver]:
    """GitHub's signature library (@octokit/webhooks-methods) behind a plain Node server."""
    port = tools.free_port()
    command = (tools.node(), tools.node_script("receiver"), str(port))
    with tempfile.TemporaryDirectory(prefix="octokit-") as folder:
        async with running(*command, folder=Path(folder)) as program:
            await program.json_line()
            receiver = OctokitReceiver(f"http://127.0.0.1:{port}/", program)
            listening = asyncio.create_task(receiver.listen())
            try:
                if secret is not None:
                    await receiver.use(secret)
                yield receiver
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)


class DebianWebhook:
    """Debian's `webhook` program: 200 to a valid signature, 500 to an invalid one; only valid ones are reported."""

    def __init__(self, folder: Path) -> None:
        self.url = ""
        self.port = tools.free_port()
        self.url = f"http://127.0.0.1:{self.port}/hooks/signalpost"
        self._folder = folder
        self._read = 0
        self._running = contextlib.AsyncExitStack()

    @property
    def deliveries(self) -> list[Delivery]:
        """All valid deliveries so far."""
        record = self._folder / "deliveries"
        lines = record.read_text().splitlines() if record.exists() else []
        records = [json.loads(line) for line in lines]
        return [
            Delivery({k.lower(): v for k, v in json.loads(line["headers"]).items()}, line["body"].encode(), True)
            for line in records
        ]

    async def use(self, secret: str) -> None:
        """Expect signatures with `secret`, after a restart on the same port."""
        await self._running.aclose()
        (self._folder / "hooks.json").write_text(json.dumps([self._hook(secret)]))
        arguments = ("-hooks", "hooks.json", "-ip", "127.0.0.1", "-port", str(self.port), "-verbose")
        command = (tools.program("webhook"), *arguments, "-logfile", "webhook.log")
        program = await self._running.enter_async_context(running(*command, folder=self._folder))
        await program.wait_for_port(self.port)

    async def delivery(self, *, within_seconds: float = TEST_SECONDS) -> Delivery:
        """The next valid delivery that was not returned yet; TimeoutError if none arrives."""
        async with asyncio.timeout(within_seconds):
            while len(deliveries := self.deliveries) <= self._read:
                await asyncio.sleep(0.02)
        self._read += 1
        return deliveries[self._read - 1]

    async def close(self) -> None:
        await self._running.aclose()

    def _hook(self, secret: str) -> dict[str, Any]:
        return {
            "id": "signalpost",
            "execute-command": str(tools.HERE / "record_delivery"),
            "command-working-directory": str(self._folder),
            "pass-arguments-to-command": [{"source": "raw-request-body"}, {"source": "entire-headers"}],
            "pass-environment-to-command": [{"source": "string", "envname": "RECORD_PYTHON", "name": sys.executable}],
            "include-command-output-in-response": True,  # answered only once it is recorded
            "trigger-rule": {
                "match": {
                    "type": "payload-hmac-sha256",
                    "secret": secret,
                    "parameter": {"source": "header", "name": "X-Service-Signature"},
                }
            },
        }


@contextlib.asynccontextmanager
async def debian_webhook(secret: str | None = None) -> AsyncIterator[DebianWebhook]:
    """adnanh/webhook with a hook whose trigger rule is the HMAC of X-Service-Signature."""
    with tempfile.TemporaryDirectory(prefix="webhook-") as folder:
        receiver = DebianWebhook(Path(folder))
        try:
            if secret is not None:
                await receiver.use(secret)
            yield receiver
        finally:
            await receiver.close()
