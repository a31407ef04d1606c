"""Receivers that record requests, and shortcuts to webhooks, events and time."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tests.helpers.api import Api
from tests.helpers.engine import running, until
from tests.helpers.factories import Login
from tests.helpers.http_servers import Connection, response, serve
from tests.helpers.limits import pauses

from signalpost import events
from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.engine.wake import wake_sql
from signalpost.identity.queries import tenant_sql
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.webhooks.actions.deliveries import record_events
from signalpost.webhooks.work import DeliverySource

_WAKE = wake_sql("delivery", keys="array[webhook_id]", due="array[due_at]", workspace_id="workspace_id")


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it arrived; header names are in lower case."""

    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def parse(request: bytes) -> ReceivedRequest:
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    return ReceivedRequest({name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}, body)


@dataclass
class Receiver:
    """Responds with `status`, or with what `respond` returns, and keeps every request."""

    url: str = ""
    status: int = 200
    respond: Callable[[ReceivedRequest], bytes] | None = None
    requests: list[ReceivedRequest] = field(default_factory=list)
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def wait(self, count: int, seconds: float = 240) -> list[ReceivedRequest]:
        """Return the requests as soon as there are `count`."""
        async with asyncio.timeout(seconds), self.arrived:
            await self.arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests

    async def script(self, connection: Connection) -> None:
        while True:
            request = parse(await connection.request())
            self.requests.append(request)
            async with self.arrived:
                self.arrived.notify_all()
            await connection.send(self.respond(request) if self.respond else response(self.status, b"thanks"))


@asynccontextmanager
async def receiver_server(**options: Any) -> AsyncIterator[Receiver]:
    receiver = Receiver(**options)
    async with serve(receiver.script) as server:
        receiver.url = server.url
        yield receiver


@asynccontextmanager
async def delivery_worker(context: AppContext, database: Database | None = None) -> AsyncIterator[Engine]:
    """Run an engine that only makes deliveries."""
    async with running(
        Engine(database or context.database, [DeliverySource(context)], tenant_sql=tenant_sql)
    ) as engine:
        yield engine


async def register(api: Api, owner: Login, url: str, **fields: Any) -> dict[str, Any]:
    answer = await api.post("/webhooks", json={"url": url} | fields, key=owner.key)
    assert answer.status_code == 201, answer.text
    webhook: dict[str, Any] = answer.json()
    return webhook


def post_published(
    owner: Login, *, profile: str | None = None, mode: Any = "live", text: str = "x"
) -> events.PostPublished:
    profile = profile or owner.profile
    data = events.PostData(
        post_id=ids.encode("pst", ids.new_id()), published=1, failed=0, total=1, profile_id=profile, status="published",
        scope="post", external_id=text, scheduled_at=None, source="api", mode=mode,
    )  # fmt: skip
    return events.PostPublished(
        workspace_id=owner.workspace_id, at=clock.now(), profile_id=ids.decode("prof", profile), mode=mode, data=data
    )


async def emit(database: Database, *emitted: events.PublicEvent) -> None:
    """Record events for the webhooks that receive them, all in one transaction."""
    async with database.transaction() as db:
        await record_events(db, emitted)


async def deliveries(api: Api, owner: Login, webhook: dict[str, Any], **params: Any) -> list[dict[str, Any]]:
    answer = await api.get(f"/webhooks/{webhook['id']}/deliveries", params={"limit": 100} | params, key=owner.key)
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


async def wait_for_deliveries(
    api: Api, owner: Login, webhook: dict[str, Any], condition: Callable[[dict[str, Any]], bool]
) -> list[dict[str, Any]]:
    """Wait until the condition holds for every delivery of the webhook; return them, newest first."""
    pause = pauses()
    async with asyncio.timeout(240):  # a little less than a test may take
        while not (rows := await deliveries(api, owner, webhook)) or not all(map(condition, rows)):
            await asyncio.sleep(next(pause))
    return rows


def webhook_uuid(webhook: dict[str, Any]) -> UUID:
    webhook_id = ids.decode("whk", webhook["id"])
    assert webhook_id is not None
    return webhook_id


async def advance_time(database: Database, webhook: dict[str, Any], seconds: float) -> None:
    """Let time pass for the deliveries of a webhook: move everything about them back by so many seconds."""
    async with database.transaction() as db:
        await db.execute("select from lane where kind = 'delivery' and key = $1 for update", webhook_uuid(webhook))
        await db.execute(
            "update delivery set next_attempt_at = next_attempt_at - make_interval(secs => $2),"
            " last_attempt_at = last_attempt_at - make_interval(secs => $2),"
            " created_at = created_at - make_interval(secs => $2) where webhook_id = $1",
            webhook_uuid(webhook),
            seconds,
        )
        await db.execute(
            f"select {_WAKE} from delivery where webhook_id = $1 and due_at is not null",
            webhook_uuid(webhook),
        )


async def wait_until_idle(database: Database, *webhooks: dict[str, Any]) -> None:
    """Wait until the engine has looked at these webhooks and has nothing to do for them now."""
    await until(
        database,
        "not exists (select from lane where kind = 'delivery' and key = any($1)"
        " and (owner is not null or wake_at <= now()))",
        [webhook_uuid(webhook) for webhook in webhooks],
    )
