"""Requests with many posts wake the lanes of all their accounts in one order: two that cross do not deadlock."""

import asyncio
from typing import Any, Final

from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.kit.db import Database

ACCOUNTS: Final = 25
ROUNDS: Final = 4
_SLEEP: Final = "update lane set next_due_at = null where kind = 'target' and workspace_id = $1"
_DEADLOCKS: Final = "select deadlocks from pg_stat_database where datname = current_database()"


async def deadlocks(database: Database) -> int:
    """How many there were so far. A connection reports them some seconds later, unless it is told to do so at once."""
    loans = [await database.pool.acquire(timeout_seconds=5) for _ in database.pool.connections]
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
