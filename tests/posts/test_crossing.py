"""What requests with many posts lock they lock in one order: two that cross do not deadlock."""

import asyncio
from itertools import combinations
from typing import Any, Final

from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.kit.db import Database
from signalpost.posts import duplicates
from signalpost.posts.many import submission

ACCOUNTS: Final = 25
ROUNDS: Final = 4
_SLEEP: Final = "update lane set next_due_at = null where kind = 'target' and workspace_id = $1"
_DEADLOCKS: Final = "select deadlocks from pg_stat_database where datname = current_database()"


async def deadlocks(database: Database) -> int:
    """How many there were so far. A connection reports them some seconds later, unless it is told to do so at once.

    One that an engine has borrowed for good, to listen, has none to report.
    """
    loans = [await database.pool.acquire(timeout_seconds=5) for _ in list(database.pool._idle)]
    for connection in loans:
        await connection.execute("select pg_stat_force_next_flush()")
        database.pool.release(connection)
    count: int = await database.pool.fetchval(_DEADLOCKS)
    return count


async def test_crossing_bulk_requests_do_not_deadlock(
    api: Api, make: Make, context: AppContext, database: Database
) -> None:
    """Their lanes sleep, so that both write every one of them; one names the accounts the other way round."""
    owner = await make.owner()
    accounts = [(await make.account(owner))["id"] for _ in range(ACCOUNTS)]

    async def create(number: int, order: list[str]) -> int:
        posts: list[dict[str, Any]] = [
            {"profileId": owner.profile, "text": f"{number} {account}", "targets": [{"accountId": account}]}
            for account in order
        ]
        return (await api.post("/posts/bulk", json={"posts": posts, "draft": False}, key=owner.key)).status_code

    before = await deadlocks(context.database)
    for number in range(ROUNDS):
        await database.pool.execute(_SLEEP, owner.workspace_id)
        codes = await asyncio.gather(create(2 * number, accounts), create(2 * number + 1, accounts[::-1]))
        assert codes == [201, 201]
    assert await deadlocks(context.database) == before


async def test_whoever_guards_contents_locks_them_in_one_order(database: Database) -> None:
    """At a simulated time too. The numbers of the locks have another order than the contents."""
    contents = [bytes([number]) * 32 for number in range(16)]
    number_of = "select hashtextextended(encode($1::bytea, 'hex'), 0)"
    numbers = {content: await database.pool.fetchval(number_of, content) for content in contents}
    first, second = next(pair for pair in combinations(contents, 2) if numbers[pair[0]] > numbers[pair[1]])

    async def guard() -> None:
        async with database.transaction() as db:
            await db.execute(duplicates._LOCK_CONTENTS, [second, first])

    async with database.transaction() as db:
        await db.execute(submission._LOCK_CONTENTS, [first])
        guarding = asyncio.create_task(guard())
        await until_blocked(database, db)
        await db.execute(submission._LOCK_CONTENTS, [second])
    await guarding
