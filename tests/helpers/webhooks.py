"""Receivers that note what they get, and short ways to webhooks, events and time."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tests.helpers.api import Api
from tests.helpers.engine import running
from tests.helpers.factories import Login
from tests.helpers.http_servers import Connection, response, serve

from signalpost import events
from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.webhooks.actions.deliveries import record_event
from signalpost.webhooks.work import DeliverySource


@dataclass(frozen=True)
class Got:
    """One request as it arrived; header names in lower case."""

    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def parse(request: bytes) -> Got:
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    return Got({name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}, body)


@dataclass
class Receiver:
    """Answers `status`, or what `answer` makes of the delivery, and keeps all that came."""

    url: str = ""
    status: int = 200
    answer: Callable[[Got], bytes] | None = None
    got: list[Got] = field(default_factory=list)

    async def wait(self, count: int, seconds: float = 40) -> list[Got]:
        async with asyncio.timeout(seconds):
            while len(self.got) < count:
                await asyncio.sleep(0.01)
        return self.got

    async def script(self, connection: Connection) -> None:
        while True:
            got = parse(await connection.request())
            self.got.append(got)
            await connection.send(self.answer(got) if self.answer else response(self.status, b"thanks"))


@asynccontextmanager
async def receiving(**options: Any) -> AsyncIterator[Receiver]:
    receiver = Receiver(**options)
    async with serve(receiver.script) as server:
        receiver.url = server.url
        yield receiver


@asynccontextmanager
async def sending(context: AppContext, database: Database | None = None) -> AsyncIterator[Engine]:
    """A worker that only makes deliveries."""
    async with running(Engine(database or context.database, [DeliverySource(context)])) as engine:
        yield engine


async def register(api: Api, owner: Login, url: str, **fields: Any) -> dict[str, Any]:
    answer = await api.post("/webhooks", json={"url": url} | fields, key=owner.key)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def published(owner: Login, *, profile: str | None = None, mode: Any = "live", text: str = "x") -> events.PostPublished:
    profile = profile or owner.profile
    data = events.PostData(
        post_id=ids.encode("pst", ids.new_id()), published=1, failed=0, total=1, profile_id=profile, status="published",
        scope="post", external_id=text, scheduled_at=None, source="api", mode=mode,
    )  # fmt: skip
    return events.PostPublished(
        workspace_id=owner.workspace_id, at=clock.now(), profile_id=ids.decode("prof", profile), mode=mode, data=data
    )


async def happen(database: Database, *happened: events.PublicEvent) -> None:
    async with database.transaction() as db:
        for event in happened:
            await record_event(db, event)


async def deliveries(api: Api, owner: Login, webhook: dict[str, Any], **params: Any) -> list[dict[str, Any]]:
    answer = await api.get(f"/webhooks/{webhook['id']}/deliveries", params={"limit": 100} | params, key=owner.key)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def settled(
    api: Api, owner: Login, webhook: dict[str, Any], condition: Callable[[dict[str, Any]], bool], seconds: float = 10
) -> list[dict[str, Any]]:
    """Wait until the condition holds for every delivery of the webhook."""
    async with asyncio.timeout(seconds):
        while not (found := await deliveries(api, owner, webhook)) or not all(map(condition, found)):
            await asyncio.sleep(0.02)
    return found


def uuid_of(webhook: dict[str, Any]) -> UUID:
    found = ids.decode("whk", webhook["id"])
    assert found is not None
    return found


async def pass_time(database: Database, webhook: dict[str, Any], seconds: float) -> None:
    """Let time pass for the deliveries of a webhook: everything about them happened that much earlier."""
    async with database.transaction() as db:
        await db.execute("select from lane where kind = 'delivery' and key = $1 for update", uuid_of(webhook))
        await db.execute(
            "update delivery set next_attempt_at = next_attempt_at - make_interval(secs => $2),"
            " last_attempt_at = last_attempt_at - make_interval(secs => $2),"
            " created_at = created_at - make_interval(secs => $2) where webhook_id = $1",
            uuid_of(webhook),
            seconds,
        )
        await db.execute(
            "select wake_lanes('delivery', array[webhook_id], workspace_id, array[null::text], array[due_at])"
            " from delivery where webhook_id = $1 and due_at is not null",
            uuid_of(webhook),
        )
