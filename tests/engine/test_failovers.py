"""A standby that became the primary is noticed before anything is claimed there; copies and restarts are none."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.helpers.engine import ALL_DONE, Work, add, until, value

from signalpost.engine.engine import Engine
from signalpost.kit import ids
from signalpost.kit.db import Database, Db

SEEN_AT = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "calls"),
    [
        ("timeline = timeline - 1", 1),  # as a standby finds it: its row came from the server before
        ("timeline = timeline - 1, is_synchronous = true", 0),  # what was committed was there as well
        ("timeline = timeline - 1, system_identifier = 1", 0),  # another cluster: restored, or moved by a dump
        ("timeline = timeline", 0),
    ],
)
async def test_what_may_be_missing_is_dealt_with_once(store: Database, change: str, calls: int) -> None:
    """Whoever claims first does it, before; the server was restarted since, so it does not know what it had."""
    called: list[tuple[datetime, int]] = []

    async def after_failover(db: Db, since: datetime) -> int:
        called.append((since, await db.fetchval("select count(*) from ledger")))
        return 1

    def engine() -> Engine:
        return Engine(store, [Work(store)], after_failover=after_failover)

    async def drain(*engines: Engine) -> None:
        for one in engines:
            await one.tick()
            await one.tick()
            await one.stop(1)

    await drain(engine())
    async with store.connection() as db:
        await db.execute(f"update engine_timeline set seen_at = $1, {change}", SEEN_AT)
    await add(store, [ids.new_id() for _ in range(3)])
    await drain(engine(), engine())
    await until(store, ALL_DONE)

    assert called == [(SEEN_AT, 0)] * calls
    here: Any = "(select timeline from engine_timeline) = (select timeline_id from pg_control_checkpoint())"
    assert await value(store, here)
    assert await value(store, "seen_at > now() - interval '1 minute' from engine_timeline")
