"""What health checks answer."""

from typing import Literal

from signalpost.kit.wire import Instant, Output


class WorkerHealth(Output):
    """The engine: whether a loop runs anywhere, when it last looked, how many items are overdue."""

    running: bool
    last_loop_at: Instant | None
    overdue: int | None


class ApiHealth(Output):
    """`degraded`: requests are answered, but work is late, no engine runs, or the database does not answer."""

    status: Literal["ok", "degraded"]
    version: str
    uptime_seconds: int
    time: Instant
    worker: WorkerHealth
    reasons: list[str]


class DatastoreHealth(Output):
    """The database answers; `pending`: it waits for a migration."""

    status: Literal["ok"]
    latency_ms: float
    migrations: Literal["current", "pending"]
    engine: str
