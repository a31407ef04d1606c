"""A network that does what a test says, posts on it, and the worker."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from tests.helpers.factories import Login, Make

from signalpost import events
from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.kit import clock, ids
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import (
    Connector,
    Facts,
    Journal,
    NetworkSession,
    Outcome,
    Outgoing,
    Published,
    Refused,
    TextRule,
)
from signalpost.publishing.work import TargetSource

Say = Callable[[NetworkSession, Outgoing, Journal], Awaitable[Any]]


def published(remote_id: str = "1") -> Published:
    return Published(remote_id=remote_id, url=f"https://stage.test/{remote_id}")


class World:
    """`publish`, `reconcile` and `poll` are what the network does; `sent` what reached it, in order."""

    def __init__(self, context: AppContext, make: Make, owner: Login) -> None:
        self.context, self.make, self.owner = context, make, owner
        self.sent: list[tuple[str, str]] = []  # (username, text)
        self.publish: Say = self.accept
        self.reconcile: Say = self.accept
        self.poll: Say = self.accept
        self.deleted: list[str] = []
        self.events: list[Any] = []
        self.engines: list[Engine] = []
        self.connector = Connector(
            facts=Facts(key="stage", name="Stage", source="", verified_on="", text=TextRule(max_length=500)),
            publish=lambda *given: self.publish(*given),  # noqa: PLW0108 - looked up at each call
            reconcile=lambda *given: self.reconcile(*given),  # noqa: PLW0108
            poll=lambda session, outgoing, journal, state: self.poll(session, outgoing, journal),
            explain=lambda error: Refused(code="content_rejected", message=str(error)),
            delete=self._delete,
            check=sandbox.check,
        )
        for kind in (*events.PUBLIC_EVENTS.values(), events.PostSettled):
            context.subscribe(kind, self._hear)

    async def _hear(self, context: AppContext, db: Any, event: Any) -> None:
        if event.workspace_id == self.owner.workspace_id:
            self.events.append(event)

    async def _delete(self, session: NetworkSession, remote_id: str, thread_ids: Any) -> None:
        self.deleted.append(remote_id)

    async def accept(self, session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        """The way of a good network: intend, create, done."""
        await journal.intend("part:0", {"at": clock.wire(session.now())})
        self.sent.append((session.username, outgoing.text))
        remote_id = f"r{len(self.sent)}"
        await journal.done("part:0", {"id": remote_id})
        return published(remote_id)

    def engine(self) -> Engine:
        engine = Engine(self.context.database, [TargetSource(self.context)])
        self.engines.append(engine)
        return engine

    async def close(self) -> None:
        for engine in self.engines:
            await engine.stop(1.0)
        await self.execute(  # the next test's worker shall not find them
            "update target set next_attempt_at = null where workspace_id = $1", self.owner.workspace_id
        )

    async def account(self, username: str | None = None, *, profile: str | None = None, platform: str = "stage") -> str:
        """Connect an account on the stage; return its id on the wire."""
        account_id = ids.new_id()
        await self.execute(
            "insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name,"
            " status, connected_via, secrets)"
            " values ($1, $2, $3, $6, 'personal', $4, $4, $4, 'active', 'api', $5)",
            account_id,
            self.owner.workspace_id,
            ids.decode("prof", profile or self.owner.profile),
            username or "user" + secrets.token_hex(4),
            self.sealed(account_id),
            platform,
        )
        return ids.encode("acc", account_id)

    def sealed(self, account_id: UUID) -> bytes:
        from signalpost.accounts.token_store import seal

        return seal(self.context.keys, self.owner.workspace_id, account_id, {"token": "top-secret-token"})

    async def post(self, *accounts: str, **fields: Any) -> str:
        """A post for these accounts (a new one by default), as the API makes it; return its id."""
        targets = [{"accountId": account} for account in accounts or (await self.account(),)]
        post = await self.make.post(self.owner, targets=targets, **fields)
        return str(post["id"])

    async def fast_forward(self, post: str, *, to: str = "now()") -> None:
        """Have the post's waiting targets be looked at now, as if the time had passed."""
        await self.execute(
            f"update target set next_attempt_at = {to} where post_id = $1 and next_attempt_at is not null",
            self.id(post),
        )
        await self.wake(post)

    async def delay(self, post: str, seconds: float) -> None:
        """Have the post been due so long ago."""
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
        """Do what is due, as /queue/process does."""
        engine = self.engine()
        for _ in range(times):
            await engine.tick(500)
        await engine.stop(5.0)

    async def pass_time(self, post: str, rounds: int = 1) -> None:
        """Work, and jump to the next wait's end; `rounds` times."""
        for _ in range(rounds):
            await self.fast_forward(post)
            await self.work()

    def id(self, post: str) -> UUID:
        found = ids.decode("pst", post)
        assert found is not None
        return found

    async def status(self, post: str) -> dict[str, Any]:
        answer = await self.make.api.get(f"/posts/{post}/status", key=self.owner.key)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

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

    def told(self, post: str) -> list[tuple[str, str, str]]:
        """(type, scope, status) of the events about a post, in order."""
        return [
            (event.type, event.data.scope, event.data.status)
            for event in self.events
            if isinstance(event, events.PublicEvent) and getattr(event.data, "post_id", None) == post
        ]

    async def execute(self, statement: str, *values: Any) -> None:
        async with self.context.database.connection() as db:
            await db.execute(statement, *values)


async def until(condition: Callable[[], Any], seconds: float = 15.0) -> None:
    """Wait until the condition holds."""
    started = clock.monotonic()
    while True:
        found = condition()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return
        assert clock.monotonic() - started < seconds, "not in time"
        await asyncio.sleep(0.02)
