"""Responses of the health checks."""

from typing import Annotated, Literal

from msgspec import Meta

from signalpost.kit.wire import Instant, Output


class WorkerHealth(Output):
    """The engine: whether a loop runs anywhere, when it last looked for work, and how many items are overdue."""

    running: bool
    last_loop_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.000Z"])]
    overdue: Annotated[int | None, Meta(examples=[0])]


class ApiHealth(Output):
    """`degraded`: requests are answered, but work is late, no engine runs, or the database is unreachable."""

    status: Annotated[Literal["ok", "degraded"], Meta(examples=["ok"])]
    version: Annotated[str, Meta(examples=["1.0.0"])]
    uptime_seconds: Annotated[int, Meta(examples=[86_400])]
    time: Instant
    worker: WorkerHealth
    reasons: Annotated[list[str], Meta(examples=[[]])]


class DatastoreHealth(Output):
    """The database is reachable. `pending`: it waits for a migration."""

    status: Literal["ok"]
    latency_ms: Annotated[float, Meta(examples=[0.4])]
    migrations: Literal["current", "pending"]
    engine: Annotated[str, Meta(examples=["PostgreSQL 18.1"])]
