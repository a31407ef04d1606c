"""What served lanes leave behind, while a transaction that somebody forgot keeps it there, costs a claim nothing."""

from typing import Any, Final
from uuid import uuid4

import asyncpg
from tests.faults.scene import sizes
from tests.helpers.engine import Work

from signalpost.engine.lanes import _NEXT, _READY, LaneStatements
from signalpost.kit.db import Database, Db

AT_ONCE: Final = 64
_FILL: Final = """
insert into lane (kind, key, next_due_at)
select 'work', gen_random_uuid(), now() - case when n % 2 = 0 then interval '20 s' else interval '2 hours' end
from generate_series(1, $1::int) n
"""
"""Half of them are never served while the others are."""
_RELEASE: Final = """
update lane set owner = null, lease_until = null, next_due_at = next_due_at + interval '1 minute' where owner = $1
"""
_PICKED: Final = f"select l.key from lane l where {_READY} and l.wake_at >= $2 order by l.wake_at limit {AT_ONCE}"
"""How a claim finds its lanes."""
_LATER: Final = (
    "update lane set next_due_at = now() + interval '1 hour' where next_due_at < now() - interval '1 minute'"
)
_BY_INDEX: Final = "set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off"
"""As with many lanes, of which there are few here."""
PAGES_MORE_MAX: Final = 20
"""What may come on top: an index that is a level deeper, and a row whose earlier versions fill a page of their own."""


async def pages(db: Db, statement: str, *arguments: Any) -> int:
    """Return how many pages a statement touches; what it does is undone."""
    undone = db.transaction()
    await undone.start()
    await db.execute(_BY_INDEX)
    [plan] = await db.fetchval(f"explain (analyze, buffers, format json) {statement}", *arguments)
    await undone.rollback()
    return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])


@sizes("size", quick=(500, 40), heavy=(20_000, 4_000))
async def test_claims_read_no_more_beside_a_forgotten_transaction(
    store: Database, fresh_dsn: str, size: tuple[int, int]
) -> None:
    """`size`: lanes, and how often some of them are claimed and released before the others are claimed."""
    lanes, rounds = size
    statements, owner = LaneStatements(Work(store)), uuid4()
    async with store.transaction() as db:
        await db.execute(_FILL, lanes)
    async with store.connection() as db:
        await statements.find_floor(db)
        fresh = await pages(db, _PICKED, statements.kind, statements._floor)
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
            await db.execute(_LATER)
            await statements.find_floor(db)
            floor = statements._floor
            assert await pages(db, _PICKED, statements.kind, bottom) > 2 * fresh + PAGES_MORE_MAX, (
                "what was left behind is read there"
            )
            assert await pages(db, _PICKED, statements.kind, floor) <= fresh + PAGES_MORE_MAX
            assert await pages(db, _NEXT, statements.kind, floor) <= PAGES_MORE_MAX
    finally:
        await forgotten.close()
