"""Reads the state of the engine and of the database."""

import asyncio

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine.contract import EngineStatus
from signalpost.kit import clock, db, problems

ENGINE_SECONDS = 0.9
"""How long the state of the engine may take: with a response that is kept for a second, a hang shows within two."""
DATASTORE_SECONDS = 3.0  # health checks have short timeouts, and a database that hangs is not healthy

_SERVER_VERSION = "select current_setting('server_version')"
_REVISION = "select version_num from alembic_version"


class DatastoreStatus(Struct):
    """What the database said of itself, and how long that took."""

    server_version: str
    revision: str
    latency_seconds: float


class DatabaseUnreachable(Exception):
    """The database does not respond, or not in time."""


async def engine_status(context: AppContext) -> EngineStatus | None:
    """Return the status of the engine; None if this process has none.

    Raises:
        DatabaseUnreachable: the database does not respond, or not in time.
    """
    if context.engine is None:
        return None
    try:
        async with asyncio.timeout(ENGINE_SECONDS):
            return await context.engine.status()
    except (problems.Unavailable, *db.DATABASE_UNREACHABLE) as error:
        raise DatabaseUnreachable from error


async def datastore_status(context: AppContext) -> DatastoreStatus:
    """Query the database and measure how long it takes.

    Raises:
        Unavailable: the database is unreachable.
    """
    started = clock.monotonic()
    async with asyncio.timeout(DATASTORE_SECONDS), context.database.connection() as connection:
        server_version = str(await connection.fetchval(_SERVER_VERSION))
        revision = str(await connection.fetchval(_REVISION))
    return DatastoreStatus(server_version, revision, clock.monotonic() - started)
