"""A client of the stream, inside the process of the service."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

PATH = "/api/v1/events/stream"
Listen = Callable[..., AbstractAsyncContextManager["Client"]]


class Client:
    """A client that reads a stream."""

    def __init__(self) -> None:
        self.status = 0
        self.beats = 0
        self.missed: list[tuple[str, dict[str, Any]]] = []
        """What came before `ready`."""
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.ended = asyncio.Event()
        self.gone = asyncio.Event()
        self._changed = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        await asyncio.sleep(0)  # a transport may let others go first
        if message["type"] == "http.response.start":
            self.status = message["status"]
        if self.status != 200 or "body" not in message:
            return
        self.beats += message["body"] == b": alive\n\n"
        for block in message["body"].decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
            if fields.get("event") == "ready":
                self.missed, self.events = self.events, []
            if "event" in fields:
                self.events.append((fields["event"], json.loads(fields["data"])))
        self._changed.set()

    def changes(self) -> list[tuple[str, str | None]]:
        return [(data["type"], data["subject"]) for name, data in self.events if name == "change"]

    async def until(self, condition: Callable[["Client"], Any]) -> None:
        while not condition(self):
            self._changed.clear()
            await self._changed.wait()


def listen_to(application: Any) -> Listen:
    """Return what opens a stream of that application with a key, and leaves it at the end."""

    @asynccontextmanager
    async def opened(key: str, **headers: str) -> AsyncIterator[Client]:
        client = Client()
        lines = {"authorization": f"Bearer {key}", "accept": "text/event-stream"} | headers
        scope = {
            "type": "http", "method": "GET", "path": PATH, "query_string": b"", "client": ("192.0.2.1", 1),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in lines.items()],
        }  # fmt: skip
        serving = asyncio.create_task(application(scope, client.receive, client.send))
        serving.add_done_callback(lambda _: client.ended.set())
        serving.add_done_callback(lambda _: client._changed.set())
        await client.until(lambda client: client.ended.is_set() or any(name != "change" for name, _ in client.events))
        yield client
        client.gone.set()
        await serving

    return opened
