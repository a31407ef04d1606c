"""The status of engine and database as API structs."""

from signalpost.engine.contract import EngineStatus
from signalpost.health.queries import ENGINE_SECONDS, DatastoreStatus
from signalpost.health.schemas import ApiHealth, DatastoreHealth, WorkerHealth
from signalpost.kit import clock

LATE_SECONDS = 300.0
DATABASE_UNREACHABLE = "The database is unreachable."
DATABASE_SLOW = f"The database does not respond within {ENGINE_SECONDS} seconds."
_STARTED = clock.monotonic()


def uptime_seconds() -> int:
    """Return for how long this process has been running."""
    return int(clock.monotonic() - _STARTED)


def api_health(engine: EngineStatus | None, reasons: list[str], *, version: str) -> ApiHealth:
    """Return the health of the API; with any reason it is degraded."""
    return ApiHealth(
        status="degraded" if reasons else "ok",
        version=version,
        uptime_seconds=uptime_seconds(),
        time=clock.wire(clock.now()),
        worker=WorkerHealth(
            running=engine is not None and engine.running,
            last_loop_at=clock.wire_or_none(engine.last_loop_at) if engine else None,
            overdue=engine.overdue if engine else None,
        ),
        reasons=reasons,
    )


def reasons_of(engine: EngineStatus | None) -> list[str]:
    """Return why the service is degraded, one sentence each; empty if work is done in time."""
    if engine is None or not engine.running:
        return ["No engine is running: nothing is published or delivered until one is started."]
    reasons = []
    for kind, backlog in sorted(engine.sources.items()):
        if backlog.oldest_due_age_seconds > LATE_SECONDS:
            minutes = int(backlog.oldest_due_age_seconds // 60)
            reasons.append(f"{backlog.overdue} items of kind {kind} are overdue, the oldest by {minutes} minutes.")
    reasons += [problem for problem in (engine.clock_problem, engine.hold) if problem]
    return reasons


def datastore_health(status: DatastoreStatus, *, revision: str) -> DatastoreHealth:
    """Return the health of the database; `revision` is the newest one that this program knows."""
    return DatastoreHealth(
        status="ok",
        latency_ms=round(status.latency_seconds * 1000, 2),
        migrations="current" if status.revision == revision else "pending",
        engine=f"PostgreSQL {status.server_version.split()[0]}",
    )
