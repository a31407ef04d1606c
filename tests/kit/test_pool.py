"""The pool: nobody takes more than half of it, nobody waits behind a neighbour, what comes back busy is reset."""

import asyncio
import random
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.helpers.publishing import until

from signalpost.kit import db, isolation, problems
from signalpost.kit.db import Database
from signalpost.kit.pool import Pool
from signalpost.kit.tenant import Tenant, across, tenant, work_for

SECONDS = 300.0
"""As long as a test may take: no test waits for the end of this."""


@pytest.fixture
async def pool(dsn: str) -> AsyncIterator[Pool]:
    pool = Pool(lambda: asyncpg.connect(dsn), size=4, idle_seconds=60)
    yield pool
    await pool.close(timeout_seconds=1)


def waiting(pool: Pool, tenant: str | None) -> "asyncio.Task[Any]":
    return asyncio.create_task(pool.acquire(tenant, timeout_seconds=SECONDS))


async def test_a_tenant_borrows_at_most_half(pool: Pool) -> None:
    mine = [await pool.acquire("a", timeout_seconds=SECONDS) for _ in range(2)]

    with pytest.raises(TimeoutError):
        await pool.acquire("a", timeout_seconds=0.05)
    theirs = await pool.acquire("b", timeout_seconds=SECONDS)

    for connection in (*mine, theirs):
        pool.release(connection)
    assert len(pool.connections) == 3


async def test_tenants_take_turns(pool: Pool) -> None:
    """Fifty requests of one tenant wait already: the first of another is served next but one, not after all of them."""
    held = [await pool.acquire(None, timeout_seconds=SECONDS) for _ in range(4)]
    order: list[str] = []

    async def borrow(tenant: str) -> None:
        connection = await pool.acquire(tenant, timeout_seconds=SECONDS)
        order.append(tenant)
        await asyncio.sleep(0)
        pool.release(connection)

    tasks = [asyncio.create_task(borrow("many")) for _ in range(50)]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(borrow("few")))
    await asyncio.sleep(0)
    for connection in held:
        pool.release(connection)
    await asyncio.gather(*tasks)

    assert order.index("few") <= 2


async def test_what_the_engine_itself_does_does_not_wait_behind_all_tenants(dsn: str) -> None:
    """Two hundred tenants have work, whose lanes only the engine releases; they get every other turn."""
    pool = Pool(lambda: asyncpg.connect(dsn), size=2, idle_seconds=60, own_every_second=True)
    held = [await pool.acquire(timeout_seconds=SECONDS) for _ in range(2)]
    order: list[str | None] = []

    async def borrow(tenant: str | None) -> None:
        connection = await pool.acquire(tenant, timeout_seconds=SECONDS)
        order.append(tenant)
        await asyncio.sleep(0)
        pool.release(connection)

    tasks = [asyncio.create_task(borrow(str(number))) for number in range(200)]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(borrow(None)) for _ in range(4)]
    await asyncio.sleep(0)
    for connection in held:
        pool.release(connection)
    await asyncio.gather(*tasks)
    await pool.close(timeout_seconds=1)

    own = [place for place, tenant in enumerate(order) if tenant is None]
    assert [second - first for first, second in pairwise([-1, *own])] in ([1, 2, 2, 2], [2, 2, 2, 2])


async def test_a_cancelled_or_late_borrower_loses_nothing(pool: Pool) -> None:
    held = [await pool.acquire(None, timeout_seconds=SECONDS) for _ in range(4)]
    cancelled = [waiting(pool, "a") for _ in range(3)]
    await asyncio.sleep(0)
    cancelled[1].cancel()
    pool.release(held.pop())  # granted to the first
    cancelled[0].cancel()  # before it has run
    await asyncio.gather(*cancelled[:2], return_exceptions=True)
    for connection in held:
        pool.release(connection)
    pool.release(await cancelled[2])

    again = [await pool.acquire(None, timeout_seconds=SECONDS) for _ in range(4)]
    for connection in again:
        pool.release(connection)
    assert len(pool.connections) == 4


async def test_a_connection_comes_back_in_the_moment_in_which_its_next_borrower_gives_up(pool: Pool) -> None:
    held = [await pool.acquire(None, timeout_seconds=SECONDS) for _ in range(4)]
    late, next_one, other = waiting(pool, "a"), waiting(pool, "a"), waiting(pool, "b")
    await asyncio.sleep(0)

    late.cancel()
    for connection in held:
        pool.release(connection)  # before the one that gave up has run

    for connection in (await next_one, await other):
        pool.release(connection)
    assert (await asyncio.gather(late, return_exceptions=True)) != [None]
    for connection in [await pool.acquire(None, timeout_seconds=SECONDS) for _ in range(4)]:
        pool.release(connection)


async def _step(pool: Pool, tasks: "list[asyncio.Task[Any]]", choice: random.Random) -> None:
    running = [task for task in tasks if not task.done()]
    match choice.choice(("borrow", "borrow", "give up", "return", "turn")):
        case "borrow" if len(running) < 4:
            tasks.append(waiting(pool, choice.choice(("a", "b", None))))
        case "give up" if running:
            choice.choice(running).cancel()
        case "return" if len(running) < len(tasks):
            tasks.remove(task := choice.choice([task for task in tasks if task.done()]))
            await _return(pool, task)
        case "turn":
            await asyncio.sleep(0)


async def _return(pool: Pool, task: "asyncio.Task[Any]") -> None:
    for connection in await asyncio.gather(task, return_exceptions=True):
        if not isinstance(connection, BaseException):
            pool.release(connection)


@pytest.mark.parametrize("seed", range(5))
async def test_whatever_borrowers_do_all_places_come_back(pool: Pool, seed: int) -> None:
    """Borrowers of three tenants wait, give up and return at random, with and without a turn of the loop in between."""
    choice, tasks = random.Random(seed), list[asyncio.Task[Any]]()
    for _ in range(400):
        await _step(pool, tasks, choice)
    for task in tasks:
        task.cancel()
        await _return(pool, task)

    for tenants in (("a", "a", "b", "b"), (None,) * 4):
        borrowed = [await pool.acquire(tenant, timeout_seconds=SECONDS) for tenant in tenants]
        for connection in borrowed:
            pool.release(connection)


async def test_a_dead_connection_is_replaced(pool: Pool) -> None:
    first = await pool.acquire(timeout_seconds=SECONDS)
    pool.release(first)
    first.terminate()

    second = await pool.acquire(timeout_seconds=SECONDS)

    assert second is not first
    assert await second.fetchval("select 1") == 1
    pool.release(second)


async def test_without_a_server_no_place_is_lost() -> None:
    async def refuse() -> Any:
        raise ConnectionRefusedError

    pool = Pool(refuse, size=1, idle_seconds=60)
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            await pool.acquire(timeout_seconds=SECONDS)
    await pool.close(timeout_seconds=1)


async def test_idle_connections_are_closed(dsn: str) -> None:
    pool = Pool(lambda: asyncpg.connect(dsn), size=4, idle_seconds=0.1)
    for connection in [await pool.acquire(timeout_seconds=SECONDS) for _ in range(3)]:
        pool.release(connection)
    await until(lambda: pool.connections == [])
    assert await pool.fetchval("select 1") == 1
    await pool.close(timeout_seconds=1)


async def test_what_was_interrupted_is_reset(dsn: str) -> None:
    """A cancelled request leaves its statement running at the server, in a transaction that holds locks."""
    database = await Database.open(dsn, connections_max=1)

    async def interrupted() -> None:
        async with database.connection() as connection:
            await connection.execute("begin")
            await connection.execute("select pg_sleep(30)")

    task = asyncio.create_task(interrupted())
    await asyncio.sleep(0.2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    async with asyncio.timeout(20), database.connection() as connection:  # not the thirty that it sleeps
        assert not connection.is_in_transaction()
        assert await connection.fetchval("select 1") == 1
    await database.close()


async def test_a_request_beyond_the_share_of_its_tenant_is_told_to_wait(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = await Database.open(dsn, connections_max=2)
    async with database.connection(), database.connection():
        pass  # both are open from now on: to open one would take of the time that there is to find one
    monkeypatch.setattr(db, "ACQUIRE_SECONDS", 0.1)
    token = tenant.set(Tenant("a"))
    try:
        async with database.connection():
            with pytest.raises(problems.Unavailable) as refused:
                async with database.connection():
                    pass
            assert refused.value.headers == {"Retry-After": "2"}
            tenant.set(Tenant("b"))
            async with database.connection() as connection:
                assert await connection.fetchval("select 1") == 1
    finally:
        tenant.reset(token)
        await database.close()


@pytest.mark.parametrize("in_time", [True, False])
async def test_close_leaves_no_connection_that_was_being_opened(dsn: str, *, in_time: bool) -> None:
    """A request begins as the service ends: it is waited for like those that have a connection, and cut like them."""
    opened, may_open = list[Any](), asyncio.Event()

    async def connect() -> Any:
        await may_open.wait()
        opened.append(await asyncpg.connect(dsn))
        return opened[0]

    pool = Pool(connect, size=2, idle_seconds=60)
    fetching = asyncio.create_task(pool.fetchval("select 1"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(pool.close(timeout_seconds=SECONDS if in_time else 0.01))
    if not in_time:
        await closing
    may_open.set()
    found = await asyncio.gather(fetching, return_exceptions=True)
    await closing

    assert found == [1] if in_time else isinstance(found[0], asyncpg.InterfaceError)
    assert opened[0].is_closed()


async def test_close_waits_for_idle_ones_that_are_being_closed(dsn: str) -> None:
    pool = Pool(lambda: asyncpg.connect(dsn), size=2, idle_seconds=0)
    connection = await pool.acquire(timeout_seconds=SECONDS)
    pool.release(connection)
    await until(lambda: pool.connections == [])

    await pool.close(timeout_seconds=SECONDS)

    assert connection.is_closed()


async def test_close_cuts_what_is_not_returned(dsn: str) -> None:
    pool = Pool(lambda: asyncpg.connect(dsn), size=2, idle_seconds=60)
    kept = await pool.acquire(timeout_seconds=SECONDS)

    await pool.close(timeout_seconds=0.1)

    assert kept.is_closed()
    with pytest.raises(asyncpg.InterfaceError):
        await pool.acquire(timeout_seconds=SECONDS)


class Isolated:
    """A database that keeps tenants apart, and the statements that were sent to it without arguments."""

    def __init__(self, database: Database, statements: list[str]) -> None:
        self.database, self.statements = database, statements

    async def one_statement(self, workspace: UUID, *, write: bool = False) -> list[str]:
        """What a lease for the workspace sends to see its rows."""
        work_for(Tenant(workspace, workspace))
        self.statements.clear()
        async with self.database.transaction() if write else self.database.connection() as connection:
            seen = await connection.fetchval("select current_setting('signalpost.tenant')")
            assert await connection.fetchval("select current_user::text") == isolation.SERVICE
        assert seen == str(workspace)
        return [statement for statement in self.statements if "signalpost.tenant = " in statement]


@pytest.fixture
async def isolated(dsn: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Isolated]:
    statements: list[str] = []
    execute = asyncpg.Connection.execute

    async def noting(self: Any, query: str, *arguments: Any, **options: Any) -> Any:
        statements.append(query)
        return await execute(self, query, *arguments, **options)

    monkeypatch.setattr(asyncpg.Connection, "execute", noting)
    database = await Database.open(dsn, connections_max=4, isolate=True)
    assert database.is_isolated
    yield Isolated(database, statements)
    tenant.set(None)
    across.set(True)
    await database.close()


async def test_a_tenant_is_set_only_when_it_changes(isolated: Isolated) -> None:
    first, second = uuid4(), uuid4()

    assert len(await isolated.one_statement(first)) == 1
    assert await isolated.one_statement(first) == []
    assert len(await isolated.one_statement(second)) == 1
    assert len(await isolated.one_statement(first)) == 1


async def test_who_borrows_gets_the_connection_that_sees_their_rows_already(isolated: Isolated) -> None:
    """Two tenants in turn use two connections, if there are two."""
    first, second = uuid4(), uuid4()
    work_for(Tenant(first, first))
    async with isolated.database.connection():
        await isolated.one_statement(second)

    for workspace in (first, second, first, second):
        assert await isolated.one_statement(workspace) == []


async def test_a_transaction_sets_its_tenant_with_its_begin(isolated: Isolated) -> None:
    """And only for itself, also if it fails."""
    first, second = uuid4(), uuid4()
    await isolated.one_statement(first)

    [begin] = await isolated.one_statement(second, write=True)
    assert begin.startswith("BEGIN;set local role")
    assert await isolated.one_statement(first) == []
    with pytest.raises(asyncpg.DivisionByZeroError):
        await _fail_as(isolated.database, second)
    assert await isolated.one_statement(first) == []


async def _fail_as(database: Database, workspace: UUID) -> None:
    work_for(Tenant(workspace, workspace))
    async with database.transaction() as connection:
        await connection.execute("select 1 / 0")


async def test_a_connection_that_was_reset_is_set_again(isolated: Isolated) -> None:
    workspace = uuid4()
    await isolated.one_statement(workspace)
    with pytest.raises(TimeoutError):
        async with isolated.database.connection() as connection:
            await connection.fetchval("select pg_sleep(30)", timeout=0.05)

    assert len(await isolated.one_statement(workspace)) == 1


async def test_a_tenant_that_cannot_be_set_loses_no_place(isolated: Isolated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "show_sql", lambda _: "set role nobody_of_this_name")
    work_for(Tenant("a", uuid4()))
    for _ in range(5):
        with pytest.raises(problems.Unavailable):
            async with isolated.database.connection():
                pass
    monkeypatch.undo()

    async with asyncio.timeout(20), isolated.database.connection() as connection:
        assert await connection.fetchval("select 1") == 1
