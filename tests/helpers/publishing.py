"""A network that does what a test says, posts to it, and the worker that publishes them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from tests.helpers.factories import Login, Make
from tests.helpers.owner import owner_of_tables

from signalpost import events
from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.identity.queries import tenant_sql
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import (
    Connector,
    Facts,
    Identity,
    Journal,
    NetworkSession,
    Outcome,
    Outgoing,
    Published,
    Refused,
    Server,
    TextRule,
)
from signalpost.publishing.work import TargetSource

Behaviour = Callable[[NetworkSession, Outgoing, Journal], Awaitable[Any]]


_EVENTS: Final = (*events.PUBLIC_EVENTS.values(), events.PostSettled)


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Open the account with this name; what it posts with is a secret that no record may show."""
    name = fields["username"]
    return Identity(remote_id=name, username=name, display_name=name, secrets={"token": "top-secret-token"})


def published(remote_id: str = "1") -> Published:
    return Published(remote_id=remote_id, url=f"https://stage.test/{remote_id}")


class StagedNetwork:
    """A network of one test, with a workspace that posts to it.

    `publish`, `reconcile` and `poll` are what the network does; `sent` is what reached it, in order.
    """

    def __init__(self, context: AppContext, make: Make, owner: Login) -> None:
        self.context, self.make, self.owner = context, make, owner
        self.sent: list[tuple[str, str]] = []  # (username, text)
        self.publish: Behaviour = self.accept
        self.reconcile: Behaviour = self.accept
        self.poll: Behaviour = self.accept
        self.deleted: list[str] = []
        self.refuse_delete: Callable[[], Awaitable[None]] | None = None
        self.events: list[Any] = []
        self.engines: list[Engine] = []
        self.connector = Connector(
            facts=Facts(
                key="stage",
                name="Stage",
                source="",
                verified_on="",
                credential_fields=sandbox.FACTS.credential_fields,
                text=TextRule(max_length=500),
                thread_parts_max=5,
                first_comment=True,
            ),
            publish=lambda *arguments: self.publish(*arguments),  # noqa: PLW0108 - looked up at each call
            reconcile=lambda *arguments: self.reconcile(*arguments),  # noqa: PLW0108
            poll=lambda session, outgoing, journal, state: self.poll(session, outgoing, journal),
            explain=lambda error: Refused(code="content_rejected", message=str(error)),
            delete=self._delete,
            connect=connect,
            check=sandbox.check,
        )
        for kind in _EVENTS:
            context.subscribe(kind, self._record_events)

    @property
    def dsn(self) -> str:
        return self.context.database.dsn

    @property
    def data_dir(self) -> Path:
        return self.context.settings.data_dir

    async def close(self) -> None:
        """Stop the workers, and record no more events."""
        for engine in self.engines:
            await engine.stop(1.0)
        for kind in _EVENTS:
            self.context.subscribers[kind].remove(self._record_events)

    async def _record_events(self, context: AppContext, db: Any, emitted: Sequence[Any]) -> None:
        self.events.extend(event for event in emitted if event.workspace_id == self.owner.workspace_id)

    async def _delete(self, session: NetworkSession, remote_id: str, thread_ids: Any) -> None:
        if self.refuse_delete is not None:
            await self.refuse_delete()
        self.deleted.append(remote_id)

    async def accept(self, session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        """What a good network does: intend, create, done."""
        await journal.intend("part:0", {"at": clock.wire(session.now())})
        self.sent.append((session.username, outgoing.text))
        remote_id = f"r{len(self.sent)}"
        await journal.done("part:0", {"id": remote_id})
        return published(remote_id)

    def engine(self) -> Engine:
        engine = Engine(self.context.database, [TargetSource(self.context)], tenant_sql=tenant_sql)
        self.engines.append(engine)
        return engine

    async def account(self, username: str | None = None, *, profile: str | None = None, platform: str = "stage") -> str:
        """Connect an account, by default on the staged network; return its id as the API shows it."""
        account = await self.make.account(self.owner, platform=platform, profile=profile, username=username)
        return str(account["id"])

    async def post(self, *accounts: str, **fields: Any) -> str:
        """Create a post for these accounts, by default for a new one; return its id."""
        targets = [{"accountId": account} for account in accounts or (await self.account(),)]
        post = await self.make.post(self.owner, targets=targets, **fields)
        return str(post["id"])

    async def fast_forward(self, post: str, *, to: str = "now()") -> None:
        """Have the post's waiting targets be looked at now, as if that time had passed."""
        await self.execute(
            f"update target set next_attempt_at = {to} where post_id = $1 and next_attempt_at is not null",
            self.id(post),
        )
        await self.wake(post)

    async def delay(self, post: str, seconds: float) -> None:
        """Make the post have been due this long ago."""
        at = timedelta(seconds=seconds)
        await self.execute(
            "update target set due_at = now() - $2::interval, next_attempt_at = now() - $2::interval"
            " where post_id = $1 and next_attempt_at is not null",
            self.id(post),
            at,
        )
        await self.wake(post)

    async def wake(self, post: str) -> None:
        await self.execute(
            "update lane set next_due_at = now(), not_before = null where kind = 'target' and owner is null and key in"
            " (select account_id from target where post_id = $1 and next_attempt_at <= now())",
            self.id(post),
        )

    async def work(self, times: int = 1) -> None:
        """Do what is due, as `POST /queue/process` does."""
        engine = self.engine()
        for _ in range(times):
            await engine.tick(500)
        await engine.stop(5.0)

    async def pass_time(self, post: str, rounds: int = 1) -> None:
        """Jump to the end of the next wait and work; `rounds` times."""
        for _ in range(rounds):
            await self.fast_forward(post)
            await self.work()

    def id(self, post: str) -> UUID:
        post_id = ids.decode("pst", post)
        assert post_id is not None
        return post_id

    async def status(self, post: str) -> dict[str, Any]:
        response = await self.make.api.get(f"/posts/{post}/status", key=self.owner.key)
        assert response.status_code == 200, response.text
        progress: dict[str, Any] = response.json()
        return progress

    async def target(self, post: str) -> Any:
        """The row of the post's only (or first) target."""
        async with self.context.database.connection() as db:
            return await db.fetchrow(
                "select *, next_attempt_at - now() as wait from target where post_id = $1 order by position",
                self.id(post),
            )

    async def history(self, post: str) -> list[str]:
        """The actions of the post's audit log, oldest first."""
        async with self.context.database.connection() as db:
            rows = await db.fetch("select action from audit where post_id = $1 order by at, id", self.id(post))
        return [row["action"] for row in rows]

    def emitted(self, post: str) -> list[tuple[str, str, str]]:
        """(type, scope, status) of the events about a post, in order."""
        return [
            (event.type, event.data.scope, event.data.status)
            for event in self.events
            if isinstance(event, events.PublicEvent) and getattr(event.data, "post_id", None) == post
        ]

    async def execute(self, statement: str, *values: Any) -> None:
        """Run a statement as the owner of the tables, who may do what the service may not."""
        async with owner_of_tables(self.context.database) as db:
            await db.execute(statement, *values)


@asynccontextmanager
async def staged(context: AppContext, make: Make) -> AsyncIterator[StagedNetwork]:
    """A workspace on a network that does what a test says. Its workers find no post that another test left due.

    Such posts may be in states that no worker can bring about, and a batch with one of them is written twice.
    """
    stage = StagedNetwork(context, make, await make.owner())
    await empty_queue(context.database)
    yield stage
    await stage.close()
    await empty_queue(context.database)


async def empty_queue(database: Database) -> None:
    """Take off the queue what other tests left due: thousands of posts in a whole run. No server is broken any more."""
    async with owner_of_tables(database) as db:
        await db.execute("update target set next_attempt_at = null where next_attempt_at is not null")
        await db.execute("delete from network_trouble")


async def until(condition: Callable[[], Any], seconds: float = 240.0) -> None:
    """Wait until the condition holds, about as long as a test may take."""
    started = clock.monotonic()
    while True:
        result = condition()
        if asyncio.iscoroutine(result):
            result = await result
        if result:
            return
        assert clock.monotonic() - started < seconds, "not in time"
        await asyncio.sleep(0.02)
