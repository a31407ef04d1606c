"""Until a request stands at a lock: to have two transactions meet where they could end in a deadlock."""

import asyncio

from signalpost.kit.db import Database, Db

_IS_BLOCKED = "select exists (select from pg_stat_activity where $1 = any(pg_blocking_pids(pid)))"


async def until_blocked(database: Database, holder: Db) -> None:
    """Return when a connection waits for a lock that this one holds; it gives up after five seconds."""
    async with database.connection() as db:
        while not await db.fetchval(_IS_BLOCKED, holder.get_server_pid()):
            await asyncio.sleep(0.01)
