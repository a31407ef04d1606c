"""Looks at the engine and the database."""

import asyncio

from signalpost.context import AppContext
from signalpost.engine.contract import EngineStatus
from signalpost.kit import clock, db, problems
from signalpost.status.schemas import ApiHealth, DatastoreHealth, WorkerHealth

LATE_SECONDS = 300.0
ANSWER_SECONDS = 3.0  # who asks for health gives up soon, and a hanging database is not healthy
_STARTED = clock.monotonic()

_ENGINE = "select current_setting('server_version')"
_REVISION = "select version_num from alembic_version"


async def api_health(context: AppContext) -> ApiHealth:
    """Say whether requests are answered and work is done in time. Never fails: a dead database is a reason."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            engine = await context.engine.status() if context.engine else None
        reasons = _reasons(engine)
        worker = WorkerHealth(
            running=engine is not None and engine.running,
            last_loop_at=clock.wire_or_none(engine.last_loop_at) if engine else None,
            overdue=engine.overdue if engine else None,
        )
    except (problems.Unavailable, TimeoutError, *db.DATABASE_DOWN):
        reasons, worker = (
            ["The database does not answer."],
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
        return ["No engine runs: nothing is published or delivered until one is started."]
    found = []
    for kind, backlog in sorted(engine.sources.items()):
        if backlog.oldest_due_age_seconds > LATE_SECONDS:
            minutes = int(backlog.oldest_due_age_seconds // 60)
            found.append(f"{backlog.overdue} items of kind {kind} are overdue, the oldest for {minutes} minutes.")
    if engine.clock_problem:
        found.append(engine.clock_problem)
    return found


async def datastore_health(context: AppContext) -> DatastoreHealth:
    """Time a query.

    Raises:
        Unavailable: the database does not answer.
    """
    started = clock.monotonic()
    async with asyncio.timeout(ANSWER_SECONDS), context.database.connection() as connection:
        engine = await connection.fetchval(_ENGINE)
        revision = await connection.fetchval(_REVISION)
    return DatastoreHealth(
        status="ok",
        latency_ms=round((clock.monotonic() - started) * 1000, 2),
        migrations="current" if revision == context.revision else "pending",
        engine=f"PostgreSQL {str(engine).split()[0]}",
    )
