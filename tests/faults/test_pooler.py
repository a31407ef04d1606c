"""The service behind PgBouncer: in transaction mode requests go through it, and nothing of one is seen by the next."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.own_postgres import OwnPostgres, own_postgres, pgbouncer
from tests.faults.scene import Tenant, open_scene
from tests.helpers.service_process import Service
from tests.stream.listening import listen_to

from signalpost.kit import ids, isolation
from signalpost.kit.db import Database
from signalpost.kit.tenant import Tenant as Borrower
from signalpost.kit.tenant import across, work_for
from signalpost.main import app
from signalpost.settings import Settings

SESSIONS = 3
"""Of the pooler: fewer than connections of a process, so that each session serves many of them."""
POOLED = {
    "default_pool_size": SESSIONS, "max_prepared_statements": 200,
    "application_name_add_host": 1,  # so that a session says which way it came
}  # fmt: skip
_SEEN = "select current_user::text, current_setting('signalpost.tenant', true), current_setting('lock_timeout')"


@pytest.fixture
async def server(server_files: Path) -> AsyncIterator[OwnPostgres]:
    async with own_postgres(server_files) as opened:
        yield opened


async def _use(own: Tenant, account: str, number: int) -> None:
    """Create, repeat, read and list as one tenant; what it sees is its own."""
    body = own.body(account, text=f"{account} {number}")
    key = {"Idempotency-Key": f"key-{number}"}
    made = await own.call("POST", "/posts", 201, json=body, headers=key)
    assert (await own.call("POST", "/posts", 201, json=body, headers=key))["id"] == made["id"]
    assert (await own.call("GET", f"/posts/{made['id']}"))["text"] == body["text"]
    listed = (await own.call("GET", "/posts?limit=100"))["data"]
    assert {post["targets"][0]["accountId"] for post in listed} == {account}


async def test_requests_go_through_a_pooler_in_transaction_mode(
    settings: Settings, server: OwnPostgres, network: HostileNetwork, tmp_path: Path
) -> None:
    """Tenants at once, on a few sessions; the worker has connections of its own, and streams hear of what it does."""
    pooler = pgbouncer(server, "transaction", **POOLED)
    async with pooler as address, open_scene(settings, server.dsn, tmp_path, pooler=address) as scene:
        tenants = await scene.tenants(3)
        accounts = [await own.mastodon(network, f"a{number}") for number, own in enumerate(tenants)]
        await scene.worker()
        async with listen_to(app.create(scene.context))(tenants[0].login.key) as client:
            uses = [_use(own, account, n) for n in range(8) for own, account in zip(tenants, accounts, strict=True)]
            await asyncio.gather(*uses)
            await scene.all_done()
            posts = {post["id"] for post in (await tenants[0].call("GET", "/posts?limit=100"))["data"]}
            published = {("target.published", post) for post in posts}
            await client.until(lambda client: published <= set(client.changes()))
        assert len(posts) == 8
        assert network.doubles() == {}
        sessions: list[bool] = []

        async def none_passes_by() -> bool:  # one that was idle for long may be ending just now
            sessions[:] = await server.value(
                "array_agg(application_name ~ ' - ') from pg_stat_activity"
                " where application_name ~ '^signalpost( engine)?( - .*)?$'"
            )
            of_tests = len([*scene.database.pool.connections, *scene.database.reserve.pool.connections])
            return sessions.count(False) == of_tests

        await scene.until(none_passes_by, "end of the connections of the API process that pass the pooler by")
        assert 0 < sessions.count(True) <= SESSIONS


async def test_a_process_that_serves_and_publishes_uses_both_ways(
    settings: Settings, server: OwnPostgres, network: HostileNetwork, tmp_path: Path
) -> None:
    """Its requests go through the pooler; its engine, which needs sessions, comes to the server itself."""
    pooler = pgbouncer(server, "transaction", **POOLED)
    async with pooler as address, open_scene(settings, server.dsn, tmp_path) as scene:
        own = await scene.tenant()
        account = await own.mastodon(network, "a0")
        process = await scene.serve(with_worker=True, SIGNALPOST_DATABASE_POOLER_URL=address)
        texts = [f"post {number}" for number in range(8)]
        async with scene.client(process, own) as client:
            answers = await asyncio.gather(
                *(client.post("/posts", json=own.body(account, text=text)) for text in texts)
            )
            assert {answer.status_code for answer in answers} == {201}
            await scene.all_done()
            assert {post["status"] for post in (await client.get("/posts")).json()["data"]} == {"published"}
        assert sorted(network.public()) == texts
        through = await server.value("count(*) from pg_stat_activity where application_name ~ '^signalpost - '")
        assert 0 < through <= SESSIONS
        assert await process.stop() == 0


async def test_nothing_of_a_transaction_is_left_in_its_session(server: OwnPostgres) -> None:
    """Whose rows are seen holds for one transaction, also after an error, a cancellation and another tenant."""
    one, other = ids.new_id(), ids.new_id()
    pooler = pgbouncer(server, "transaction", **POOLED | {"default_pool_size": 1})
    async with pooler as address:
        database = await Database.open(server.dsn, isolate=True, pooler_dsn=address, reserve_is_pooled=True)
        assert database.is_isolated

        async def seen(workspace: UUID) -> list[Any]:
            work_for(Borrower(workspace, workspace))
            async with database.connection() as db:
                outside = [tuple(await db.fetchrow(_SEEN) or ()) for _ in range(3)]
                async with db.transaction():
                    inside = tuple(await db.fetchrow(_SEEN) or ())
            async with database.transaction() as db:
                return [*outside, inside, tuple(await db.fetchrow(_SEEN) or ())]

        async def fail() -> None:
            work_for(Borrower(other, other))
            async with database.connection() as db:
                with pytest.raises(asyncpg.DivisionByZeroError):
                    await db.execute("select 1 / $1::int", 0)

        async def cancelled() -> None:
            work_for(Borrower(other, other))
            async with database.connection() as db:
                with pytest.raises(TimeoutError):
                    await db.execute("select pg_sleep(20)", timeout=0.1)
                with pytest.raises(asyncpg.DivisionByZeroError):
                    await db.fetchval("select 1 / $1::int", 0)
                assert tuple(await db.fetchrow(_SEEN) or ()) == (isolation.SERVICE, str(other), "5s")
                assert not db.is_in_transaction()

        try:
            for _ in range(2):
                rows = await asyncio.gather(*(seen(workspace) for workspace in (one, other) * 6), fail(), cancelled())
                for number, workspace in enumerate((one, other) * 6):
                    assert set(rows[number]) == {(isolation.SERVICE, str(workspace), "5s")}
            stranger = await asyncpg.connect(address)  # in the session that all of them had
            left = await stranger.fetchrow("select current_user::text, current_setting('signalpost.tenant', true)")
            await stranger.close()
            assert tuple(left) in (("postgres", ""), ("postgres", None))
            across.set(True)
            async with database.reserve.connection() as db:
                assert await db.fetchval("select current_user::text") == isolation.ENGINE
        finally:
            await database.close()


@pytest.mark.parametrize("fault", ["none", "forgets statements", "leads elsewhere"])
async def test_a_pooler_that_requests_cannot_go_through_is_refused(
    server: OwnPostgres, tmp_path: Path, fault: str
) -> None:
    """By `doctor` and at the start, in one sentence that says what to do."""
    (tmp_path / "data").mkdir()
    await server.execute("create database elsewhere encoding 'UTF8' template template0")
    max_statements = 0 if fault == "forgets statements" else 200
    async with pgbouncer(server, "transaction", **POOLED | {"max_prepared_statements": max_statements}) as address:
        direct = server.dsn.replace("/postgres?", "/elsewhere?") if fault == "leads elsewhere" else server.dsn
        service = Service(tmp_path)
        addresses = {"SIGNALPOST_DATABASE_URL": direct, "SIGNALPOST_DATABASE_POOLER_URL": address}
        checked = await service.command("doctor", **addresses)
        line = next(line for line in checked.stdout.splitlines() if "  pooler  " in line)
        assert line.startswith("ok" if fault == "none" else "PROBLEM"), checked.stdout
        if fault != "none":
            done = await service.command("serve", "--port", str(service.port), **addresses)
            assert done.returncode == 1
            assert len(done.stderr.strip().splitlines()) == 1, done.stderr
            assert "SIGNALPOST_DATABASE_POOLER_URL" in done.stderr
            assert {"forgets statements": "1.21", "leads elsewhere": "another database"}[fault] in done.stderr


@pytest.mark.parametrize("command", ["serve", "worker", "doctor"])
async def test_a_pooler_in_transaction_mode_is_refused_as_the_database(
    server: OwnPostgres, tmp_path: Path, command: str
) -> None:
    """In one sentence, at start: sessions are needed for locks, and each statement would get another one."""
    (tmp_path / "data").mkdir()
    async with pgbouncer(server, "transaction") as dsn:
        service = Service(tmp_path)
        port = ("--port", str(service.port)) if command == "serve" else ()
        done = await service.command(command, *port, SIGNALPOST_DATABASE_URL=dsn)
    assert done.returncode == 1
    said = (done.stderr or done.stdout[done.stdout.index("PROBLEM  database") :]).strip().splitlines()
    assert len(said) == 1 or command == "doctor", done.stderr
    assert "SIGNALPOST_DATABASE_URL" in said[0]
    assert "pooler" in said[0]


async def test_a_pooler_in_session_mode_is_accepted_with_its_own_default_settings(
    settings: Settings, server: OwnPostgres, network: HostileNetwork, tmp_path: Path
) -> None:
    """It refuses parameters of a connection that it does not know, such as jit."""
    async with pgbouncer(server, "session") as dsn, open_scene(settings, dsn, tmp_path) as scene:
        tenant = await scene.tenant()
        account = await tenant.mastodon(network)
        await scene.worker()
        await tenant.ends(await tenant.post(account, text="through the pooler"), "published")
