"""All statements of a request together end in time, however many there are and whatever each of them waits for."""

from collections.abc import Iterator

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.kit import ids, patience
from signalpost.kit.db import Database
from signalpost.kit.patience import END_SECONDS, Patience
from signalpost.kit.problems import Unavailable


@pytest.fixture
def used_up() -> Iterator[Patience]:
    """A task whose statements have no time left."""
    mine = Patience(0.0)
    token = patience.patience.set(mine)
    yield mine
    patience.patience.reset(token)


async def test_a_statement_that_takes_all_leaves_nothing_to_the_next(database: Database) -> None:
    """Each of them alone would have six seconds."""
    async with database.transaction() as db:
        await db.execute("create temporary table written (number int) on commit drop")
        token = patience.patience.set(Patience(0.2))
        try:
            with pytest.raises(TimeoutError):
                await db.fetch("select pg_sleep(60)")
            with pytest.raises(TimeoutError, match="used up"):
                await db.fetch("select 1")
            with pytest.raises(TimeoutError, match="used up"):
                await db.execute("insert into written values ($1)", 1)
        finally:
            patience.patience.reset(token)
        await db.execute("rollback")
        await db.execute("begin")
        assert await db.fetchval("select 1") == 1, "the connection is as good as before"


async def test_no_connection_is_waited_for_without_time(database: Database, used_up: Patience) -> None:
    with pytest.raises(Unavailable):
        async with database.connection():
            pass
    used_up.allow_end()
    async with database.transaction() as db:
        assert await db.fetchval("select 1") == 1


async def test_a_transaction_always_has_time_to_end(database: Database, used_up: Patience) -> None:
    used_up.allow_end()
    async with database.transaction() as db:
        await db.execute("select 1")
        used_up._left = -5.0
    used_up.allow_end()
    db = await database.pool.acquire(timeout_seconds=5)
    transaction = db.transaction()
    await transaction.start()
    used_up._left = -5.0
    await transaction.rollback()
    database.pool.release(db)
    assert used_up.begin(60.0, is_end=True) == END_SECONDS


async def test_statements_beside_each_other_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(patience.clock, "monotonic", lambda: now)
    mine = Patience(8.0)
    assert mine.begin(60.0) == 8.0
    now += 1
    assert mine.begin() == 6.0
    now += 2
    mine.end()
    now += 1
    mine.end()
    now += 1_000  # without a statement
    assert mine.begin(60.0) == 4.0


async def test_a_row_that_others_hold_is_not_waited_for_again_and_again(
    api: Api, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock is given up after five seconds, and its transaction tried three times: together more than ten."""
    owner = await make.owner()
    monkeypatch.setattr(patience, "REQUEST_SECONDS", 0.5)
    async with database.transaction() as db:
        await db.execute("select from profile where id = $1 for update", ids.decode("prof", owner.profile))
        answer = await api.patch(f"/profiles/{owner.profile}", json={"name": "Other"}, key=owner.key)
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["retryable"] is True
    assert answer.headers["retry-after"]
    monkeypatch.undo()
    assert (await api.patch(f"/profiles/{owner.profile}", json={"name": "Other"}, key=owner.key)).status_code == 200
