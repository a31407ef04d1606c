"""Reads the state of the engine and of the database."""

import asyncio

from signalpost.context import AppContext
from signalpost.engine.contract import EngineStatus
from signalpost.kit import clock, db, problems
from signalpost.status.schemas import ApiHealth, DatastoreHealth, WorkerHealth

LATE_SECONDS = 300.0
RESPONSE_SECONDS = 3.0  # health checks have short timeouts, and a database that hangs is not healthy
_STARTED = clock.monotonic()

_ENGINE = "select current_setting('server_version')"
_REVISION = "select version_num from alembic_version"


async def api_health(context: AppContext) -> ApiHealth:
    """Check that work is done on time. Never fails: an unreachable database is one of the reasons."""
    try:
        async with asyncio.timeout(RESPONSE_SECONDS):
            engine = await context.engine.status() if context.engine else None
        reasons = _reasons(engine)
        worker = WorkerHealth(
            running=engine is not None and engine.running,
            last_loop_at=clock.wire_or_none(engine.last_loop_at) if engine else None,
            overdue=engine.overdue if engine else None,
        )
    except (problems.Unavailable, TimeoutError, *db.DATABASE_DOWN):
        reasons, worker = (
            ["The database is unreachable."],
            WorkerHealth(running=False, last_loop_at=None, overdue=None),
        )
    return ApiHealth(
        status="degraded" if reasons else "ok",
        version=context.version,
        uptime_seconds=int(clock.monotonic() - _STARTED),
        time=clock.wire(clock.now()),
        worker=worker,
        reasons=reasons,
    )


def _reasons(engine: EngineStatus | None) -> list[str]:
    if engine is None or not engine.running:
        return ["No engine is running: nothing is published or delivered until one is started."]
    reasons = []
    for kind, backlog in sorted(engine.sources.items()):
        if backlog.oldest_due_age_seconds > LATE_SECONDS:
            minutes = int(backlog.oldest_due_age_seconds // 60)
            reasons.append(f"{backlog.overdue} items of kind {kind} are overdue, the oldest for {minutes} minutes.")
    if engine.clock_problem:
        reasons.append(engine.clock_problem)
    return reasons


async def datastore_health(context: AppContext) -> DatastoreHealth:
    """Measure the latency of a query.

    Raises:
        Unavailable: the database is unreachable.
    """
    started = clock.monotonic()
    async with asyncio.timeout(RESPONSE_SECONDS), context.database.connection() as connection:
        engine = await connection.fetchval(_ENGINE)
        revision = await connection.fetchval(_REVISION)
    return DatastoreHealth(
        status="ok",
        latency_ms=round((clock.monotonic() - started) * 1000, 2),
        migrations="current" if revision == context.revision else "pending",
        engine=f"PostgreSQL {str(engine).split()[0]}",
    )
