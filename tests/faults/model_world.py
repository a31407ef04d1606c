"""The world of the model test: an installation whose clock a test moves, and a network whose ledger is the oracle."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.publishing import connect

from signalpost import networks
from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.identity.queries import tenant_sql
from signalpost.kit import clock
from signalpost.kit.db import Database
from signalpost.main import app
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import (
    Connector,
    Facts,
    Journal,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Pending,
    Published,
    Reconciled,
    Refused,
    TextRule,
    TryLater,
)
from signalpost.networks.threads import PublicPart, ThreadPart, publish_parts, reconcile_parts
from signalpost.publishing.work import TargetSource
from signalpost.settings import Settings

FATES: Final = (
    "lost", "dropped", "blind", "refused", "busy", "limited", "expired", "slow",
    "cancel meanwhile", "edit meanwhile", "trash meanwhile", "disconnect meanwhile",
)  # fmt: skip
"""What a create call can meet besides success. `lost`: made, but the answer is lost; `dropped`: not made, and no
answer; `blind`: made, no answer, and the next look finds out nothing; `… meanwhile`: somebody does that during the
call."""
LIMITED_SECONDS: Final = 120.0
SLOW_SECONDS: Final = 30.0
TICKS_MAX: Final = 50

_PASS_TIME = """
create function pass_time(of_workspace uuid, by interval) returns void language sql as $$
    update target set due_at = due_at - by, next_attempt_at = next_attempt_at - by, scheduled_at = scheduled_at - by,
        started_at = started_at - by, published_at = published_at - by,
        intent = case when intent ? 'at'
            then intent || jsonb_build_object('at', (intent ->> 'at')::timestamptz - by) else intent end,
        pending_state = case when pending_state ? 'since'
            then pending_state || jsonb_build_object('since', (pending_state ->> 'since')::timestamptz - by)
            else pending_state end
    where workspace_id = of_workspace;
    update post set scheduled_at = scheduled_at - by, queued_at = queued_at - by, published_at = published_at - by,
        deleted_at = deleted_at - by, purge_at = purge_at - by where workspace_id = of_workspace;
    update account set last_published_at = last_published_at - by where workspace_id = of_workspace;
    update lane set next_due_at = next_due_at - by, not_before = not_before - by where workspace_id = of_workspace
$$
"""
"""Later is the same as everything having been earlier: no clock has to be wrong for that."""

_DUE = """
select exists (select from target t left join lane l on l.kind = 'target' and l.key = t.account_id
    where t.workspace_id = $1 and t.next_attempt_at <= now()
        and (l.not_before is null or l.not_before < now() + interval '1 second'))
"""


class Ledger:
    """The network: what became public, by account and text. It never recognises a repeat, so a resend is a double."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.made: Counter[tuple[str, str]] = Counter()
        self.fates: defaultdict[tuple[str, str], deque[str]] = defaultdict(deque)
        self.blind: Counter[tuple[str, str]] = Counter()
        self.calls = 0
        self.looked = 0

    async def publish(self, session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        self.world.watcher.on_attempt(session.username, outgoing.text)
        return await self._parts(session, outgoing, journal)

    async def poll(self, session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Any) -> Outcome:
        return await self._parts(session, outgoing, journal)

    async def _parts(self, session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        outcome = await publish_parts(
            session, outgoing, journal, find=self._find, create=self._create, published=_published
        )
        self.world.watcher.on_outcome(session.username, outgoing.text, outcome)
        return outcome

    async def reconcile(self, session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
        found = await reconcile_parts(session, outgoing, journal, find=self._find, published=_published)
        self.world.watcher.on_reconciled(session.username, outgoing.text, found)
        return found

    async def _create(self, part: ThreadPart) -> PublicPart | Outcome:
        key = (part.session.username, part.content.text)
        fate = self.fates[key].popleft() if self.fates[key] else "ok"
        if fate == "slow":
            return Pending(state={"slow": True}, poll_after_seconds=SLOW_SECONDS)
        await part.intend({"text": part.content.text})
        self.calls += 1
        self.world.watcher.on_call(*key)
        what, _, meanwhile = fate.partition(" ")
        if meanwhile:
            await self.world.watcher.meanwhile(what, *key)
        if (refusal := _refusal(fate)) is not None:
            return refusal
        if fate != "dropped":
            self.made[key] += 1
            self.blind[key] = int(fate == "blind")
        if fate in ("lost", "dropped", "blind"):
            return OutcomeUnknown(message="No answer.")
        return {"id": f"{key[0]}-{self.calls}"}

    async def _find(self, part: ThreadPart, _intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
        key = (part.session.username, part.content.text)
        self.looked += 1
        if self.blind[key]:
            self.blind[key] -= 1
            return OutcomeUnknown(message="Ask later.")
        self.world.watcher.on_found(*key, found=bool(self.made[key]))
        return {"id": f"{key[0]}-found-{self.calls}"} if self.made[key] else None


def _refusal(fate: str) -> Outcome | None:
    match fate:
        case "refused":
            return Refused(code="content_rejected", message="No.")
        case "busy":
            return TryLater(message="Try again later.", http_status=503)
        case "limited":
            return TryLater(message="Too many.", code="rate_limited", after_seconds=LIMITED_SECONDS)
        case "expired":
            return NeedsReconnect(message="The token has expired.", http_status=401)
    return None


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Any) -> Published:
    first, *rest = [part["id"] for part in posted]
    return Published(remote_id=first, url=None, thread_ids=tuple(rest))


class Watcher:
    """Hears of everything at the network at the moment at which it happens."""

    def on_attempt(self, who: str, text: str) -> None: ...
    def on_call(self, who: str, text: str) -> None: ...
    def on_found(self, who: str, text: str, *, found: bool) -> None: ...
    def on_outcome(self, who: str, text: str, outcome: Outcome) -> None: ...
    def on_reconciled(self, who: str, text: str, found: Reconciled) -> None: ...
    async def meanwhile(self, what: str, who: str, text: str) -> None: ...


class World:
    """One installation for all histories; each has a workspace, a time and a ledger of its own."""

    def __init__(self, context: AppContext, api: Api, owner_of_tables: Database) -> None:
        self.context, self.api, self.tables = context, api, owner_of_tables
        self.make = Make(context, api)
        self.engine = Engine(context.database, [TargetSource(context)], tenant_sql=tenant_sql)
        self.begin(Watcher())

    def begin(self, watcher: Watcher) -> None:
        """Start a history: nothing is public, and no time has passed."""
        self.watcher, self.ledger, self.passed = watcher, Ledger(self), timedelta()

    async def end(self, workspace: Any) -> None:
        """Take what is left of a history off the queue: the next one has another ledger."""
        async with self.tables.connection() as db:
            await db.execute("update target set next_attempt_at = null where workspace_id = $1", workspace)

    def now(self) -> datetime:
        return clock.now() + self.passed

    def real(self, at: datetime) -> str:
        """What the API calls that time."""
        return clock.wire(at - self.passed)

    async def pass_time(self, workspace: Any, seconds: float) -> None:
        self.passed += timedelta(seconds=seconds)
        async with self.tables.connection() as db:
            await db.execute("select pass_time($1, $2)", workspace, timedelta(seconds=seconds))

    async def query(self, statement: str, *values: Any) -> list[Any]:
        async with self.tables.connection() as db:
            return list(await db.fetch(statement, *values))

    async def work(self, workspace: Any) -> None:
        """Run the queue until nothing is due, as `POST /queue/process` does."""
        for _ in range(TICKS_MAX):
            while (await self.engine.tick(500)).claimed["target"]:
                pass
            if not (await self.query(_DUE, workspace))[0][0]:
                return
            await asyncio.sleep(0.05)  # a lane whose post was locked is looked at again a moment later
        raise AssertionError("something is due, and nobody does it")


def _connector(world: World) -> Connector:
    def now(name: str) -> Callable[..., Awaitable[Any]]:
        async def call(*arguments: Any) -> Any:
            return await getattr(world.ledger, name)(*arguments)  # of the history that runs

        return call

    return Connector(
        facts=Facts(
            key="stage", name="Stage", source="", verified_on="",
            credential_fields=sandbox.FACTS.credential_fields, text=TextRule(max_length=500), thread_parts_max=5,
        ),
        publish=now("publish"), reconcile=now("reconcile"), poll=now("poll"),
        explain=lambda error: Refused(code="content_rejected", message=str(error)),
        connect=connect, check=sandbox.check, revoke=sandbox.revoke,
    )  # fmt: skip


@asynccontextmanager
async def open_world(settings: Settings, dsn: str) -> AsyncIterator[World]:
    """Open the installation; the network is registered until its end."""
    async with app.open_context(settings, dsn) as context, Api(app.create(context)) as api:
        tables = await Database.open(dsn, connections_max=2)
        async with tables.connection() as db:
            await db.execute(_PASS_TIME)
        world = World(context, api, tables)
        connectors, platforms = networks.CONNECTORS, networks.PLATFORMS
        patched: Any = networks
        patched.CONNECTORS = {**connectors, "stage": _connector(world)}
        patched.PLATFORMS = (*platforms, "stage")
        try:
            yield world
        finally:
            patched.CONNECTORS, patched.PLATFORMS = connectors, platforms
            await world.engine.stop(1.0)
            await tables.close()
