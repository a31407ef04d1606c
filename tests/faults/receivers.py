"""Webhook receivers: what lies below `/hang` never answers, the rest notes what it gets."""

import asyncio
import hashlib
import json
import random
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from tests.counterparts.tools import free_port


@dataclass(frozen=True)
class Delivery:
    webhook_id: str
    body: bytes
    accepted: bool
    at: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Receivers:
    """One server. `fails`: the share of deliveries that get 500 or no answer at all."""

    def __init__(self, *, fails: float = 0.0, seed: int = 20261122) -> None:
        self.got: dict[str, list[Delivery]] = defaultdict(list)
        self.hanging = 0
        self.port = 0
        self.fails = fails
        self._random = random.Random(seed)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"

    def delays(self, name: str) -> list[float]:
        """How many seconds after its event each delivery came."""
        return [one.at - datetime.fromisoformat(one.json["createdAt"]).timestamp() for one in self.got[name]]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", free_port(), backlog=2000)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                while await self._answer(reader, writer):
                    pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = lines[0].split(" ")[1].removeprefix("/")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        body = await reader.readexactly(int(headers["content-length"]))
        if path.startswith("hang"):
            self.hanging += 1
            try:
                await asyncio.sleep(86_400)
            finally:
                self.hanging -= 1
        fate = self._random.random()
        self.got[path].append(Delivery(headers["webhook-id"], body, fate >= self.fails, time.time()))
        if fate < self.fails / 2:
            return False
        status = 500 if fate < self.fails else 200
        writer.write(b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n" % status)
        await writer.drain()
        return True

    def differing(self) -> set[str]:
        """The ids that were sent with more than one body."""
        bodies = defaultdict(set)
        for deliveries in self.got.values():
            for one in deliveries:
                bodies[one.webhook_id].add(hashlib.sha256(one.body).digest())
        return {name for name, found in bodies.items() if len(found) > 1}
