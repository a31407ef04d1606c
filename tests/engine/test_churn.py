"""What served lanes leave behind, while a transaction that somebody forgot keeps it there, costs a claim nothing."""

from typing import Any, Final
from uuid import uuid4

import asyncpg
from tests.faults.scene import sizes
from tests.helpers.engine import Work

from signalpost.engine.contract import LEASE_SECONDS
from signalpost.engine.lanes import _NEXT, LaneStatements
from signalpost.kit.db import Database, Db

_FILL: Final = """
insert into lane (kind, key, next_due_at)
select 'work', gen_random_uuid(), now() - interval '1 hour' + n * interval '1 ms' from generate_series(1, $1::int) n
"""
_RELEASE: Final = """
update lane set owner = null, lease_until = null, next_due_at = next_due_at + interval '1 minute' where owner = $1
"""
AT_ONCE: Final = 64
PAGES_MORE_MAX: Final = 20
"""What may come on top: an index that is a level deeper, and a row whose earlier versions fill a page of their own."""


async def pages(db: Db, statement: str, *arguments: Any) -> int:
    """Return how many pages a statement touches; what it does is undone."""
    undone = db.transaction()
    await undone.start()
    [plan] = await db.fetchval(f"explain (analyze, buffers, format json) {statement}", *arguments)
    await undone.rollback()
    return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])


@sizes("size", quick=(500, 40), heavy=(20_000, 4_000))
async def test_claims_read_no_more_beside_a_forgotten_transaction(
    store: Database, fresh_dsn: str, size: tuple[int, int]
) -> None:
    """`size`: lanes, and how often some of them are claimed and released, the oldest first."""
    lanes, rounds = size
    statements, owner = LaneStatements(Work(store)), uuid4()
    claim = (statements._claim, statements.kind, owner, float(LEASE_SECONDS), AT_ONCE)
    async with store.transaction() as db:
        await db.execute(_FILL, lanes)
    async with store.connection() as db:
        await statements.find_floor(db)
        fresh = await pages(db, *claim, statements._floor)
        bottom = statements._floor
    forgotten = await asyncpg.connect(fresh_dsn)
    try:
        await forgotten.execute("begin isolation level repeatable read; select count(*) from lane")
        for _ in range(rounds):
            async with store.transaction() as db:
                await statements.claim(db, owner, AT_ONCE)
            async with store.transaction() as db:
                await db.execute(_RELEASE, owner)
        async with store.connection() as db:
            await statements.find_floor(db)
            floor = statements._floor
            assert await pages(db, *claim, bottom) > 2 * fresh + PAGES_MORE_MAX, "what was left behind is read there"
            assert await pages(db, *claim, floor) <= fresh + PAGES_MORE_MAX
            assert await pages(db, _NEXT, statements.kind, floor) <= PAGES_MORE_MAX
    finally:
        await forgotten.close()
