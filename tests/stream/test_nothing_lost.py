"""What commits late is told all the same, or clients read again; what a stream reads counts to its tenant."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import pytest
from tests.helpers.factories import Login, Make
from tests.stream.listening import Listen

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.stream import hub, server_sent
from signalpost.stream.hub import Hub

SHORT = timedelta(seconds=0.2)


class Late:
    """An entry of history whose transaction is not over yet."""

    def __init__(self) -> None:
        self.id = ids.new_id()
        self.name = f"late.{self.id.hex}"

    @property
    def age(self) -> timedelta:
        return clock.actual() - ids.made_at(self.id)


@asynccontextmanager
async def late_entry(database: Database, workspace_id: UUID) -> AsyncIterator[Late]:
    """An entry that is committed at the end. It is not older than its transaction: connecting may take long."""
    async with database.patient(workspace_id) as db, db.transaction():
        late = Late()
        await db.execute(
            "insert into audit (id, workspace_id, action, actor) values ($1, $2, $3, $4)",
            late.id, workspace_id, late.name, {"type": "system"},
        )  # fmt: skip
        yield late


@pytest.fixture(autouse=True)
async def fresh_hub(context: AppContext) -> AsyncIterator[None]:
    """The first listener of a process."""
    context.states[Hub] = fresh = Hub()
    yield
    await fresh.end()
    context.states.pop(Hub)


async def test_the_first_listener_hears_what_was_under_way(
    context: AppContext, listen: Listen, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its transaction began long before anybody listened, and ends when the client was told what it missed."""
    monkeypatch.setattr(hub, "OVERLAP", SHORT)
    monkeypatch.setattr(server_sent, "OVERLAP", SHORT)
    async with late_entry(context.database, owner.workspace_id) as late:
        while late.age < 3 * SHORT:
            await asyncio.sleep(0.01)
        opened = listen(owner.key)
        client = await opened.__aenter__()
    try:
        await client.until(lambda client: (late.name, None) in client.changes())
        assert ("reset", {}) not in client.events
    finally:
        await opened.__aexit__(None, None, None)


async def test_an_entry_that_commits_late_is_heard_of_once(
    context: AppContext, listen: Listen, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others that are younger were told in the meantime, more than are read at a time."""
    monkeypatch.setattr(hub, "OVERLAP", SHORT)
    monkeypatch.setattr(hub, "BURST", 4)
    async with listen(owner.key) as client:
        async with late_entry(context.database, owner.workspace_id) as late:
            others = []
            while late.age < 5 * SHORT or len(others) < 5:
                others.append((await make.post(owner, draft=True))["id"])
                await client.until(lambda client: ("created", others[-1]) in client.changes())
        last = (await make.post(owner, draft=True))["id"]
        await client.until(lambda client: {(late.name, None), ("created", last)} <= set(client.changes()))
        told = client.changes()
        assert len(told) == len(set(told))
        assert ("reset", {}) not in client.events


async def test_after_a_transaction_that_took_too_long_clients_read_again(
    context: AppContext, listen: Listen, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "OVERLAP", SHORT)
    monkeypatch.setattr(hub, "LONGEST", timedelta(seconds=1.5))
    async with listen(owner.key) as client:
        async with late_entry(context.database, owner.workspace_id) as late:
            await client.until(lambda client: ("reset", {}) in client.events)
            assert late.age > timedelta(seconds=1.5)
        resets = client.events.count(("reset", {}))
        await client.until(lambda client: client.events.count(("reset", {})) > resets)
        post = await make.post(owner, draft=True)
        await client.until(lambda client: ("created", post["id"]) in client.changes())


async def test_who_comes_back_hears_what_was_under_way_when_the_connection_broke(
    context: AppContext, listen: Listen, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "OVERLAP", SHORT)
    monkeypatch.setattr(server_sent, "OVERLAP", SHORT)
    async with late_entry(context.database, owner.workspace_id) as late:
        while late.age < 3 * SHORT:
            await asyncio.sleep(0.01)
        async with listen(owner.key) as client:
            post = await make.post(owner, draft=True)
            await client.until(lambda client: ("created", post["id"]) in client.changes())
            last = client.events[-1][1]["id"]
    async with listen(owner.key, last_event_id=last) as again:
        assert late.name in [data["type"] for _, data in again.missed]


async def test_what_a_stream_reads_counts_to_its_tenant(
    context: AppContext, listen: Listen, make: Make, owner: Login
) -> None:
    """While an owner has used up their share of connections, their streams wait, and those of others do not."""
    other, pool = await make.owner(), context.database.pool
    loans = [await pool.acquire(owner.user_id, timeout_seconds=5, is_set=False) for _ in range(pool.share)]
    waiting = listen(owner.key)
    try:
        opening = asyncio.create_task(waiting.__aenter__())
        while owner.user_id not in pool._queues:
            await asyncio.sleep(0.01)
        async with listen(other.key) as client:
            assert client.events[0] == ("ready", {})  # what was under way before may follow it
        assert not opening.done()
    finally:
        for loan in loans:
            pool.release(loan)
    assert (await opening).events[0] == ("ready", {})
    await waiting.__aexit__(None, None, None)


async def test_a_new_owner_finds_a_place(
    context: AppContext, listen: Listen, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All places are taken: the owner with the most loses one, the oldest, until all have the same."""
    monkeypatch.setattr(hub, "PROCESS_MAX", 4)
    second, third = await make.owner(), await make.owner()
    async with (
        listen(owner.key) as oldest, listen(owner.key) as older, listen(owner.key) as new, listen(owner.key) as newest,
    ):  # fmt: skip
        async with listen(second.key) as one, listen(second.key) as two:
            await oldest.ended.wait()
            await older.ended.wait()
            async with listen(second.key) as refused:
                assert refused.status == 429
            async with listen(third.key) as three:
                assert three.status == 200
                await new.ended.wait()
            assert not any(client.ended.is_set() for client in (newest, one, two))
        assert context.state(Hub)._count == 1
