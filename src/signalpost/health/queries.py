"""Reads the state of the engine and of the database."""

import asyncio

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine.contract import EngineStatus
from signalpost.kit import clock, db, problems
from signalpost.kit.storage import free_bytes

ENGINE_SECONDS = 0.9
"""How long the state of the engine may take: with a response that is kept for a second, a hang shows within two."""
FREE_BYTES_MIN = 50_000_000
"""With less free space on its disk, the embedded database may stop at any moment."""
DATASTORE_SECONDS = 3.0  # health checks have short timeouts, and a database that hangs is not healthy

_SERVER_VERSION = "select current_setting('server_version')"
_REVISION = "select max(revision) from schema_migration where finished_at is not null"


class DatastoreStatus(Struct):
    """What the database said of itself, and how long that took."""

    server_version: str
    revision: str
    latency_seconds: float


class DatabaseUnreachable(Exception):
    """The database does not respond."""


class DatabaseSlow(Exception):
    """The database does not respond in time."""


async def engine_status(context: AppContext) -> EngineStatus | None:
    """Return the status of the engine; None if this process has none.

    Raises:
        DatabaseUnreachable: the database does not respond.
        DatabaseSlow: it does not within `ENGINE_SECONDS`.
    """
    if context.engine is None:
        return None
    try:
        async with asyncio.timeout(ENGINE_SECONDS):
            return await context.engine.status()
    except TimeoutError as error:  # before those below: it is an OSError
        raise DatabaseSlow from error
    except (problems.Unavailable, *db.DATABASE_UNREACHABLE) as error:
        raise DatabaseUnreachable from error


async def write_problem(context: AppContext) -> str | None:
    """Return why the database accepts no changes, or soon will not; None while it does, as far as known."""
    database, settings = context.database, context.settings
    try:
        async with asyncio.timeout(ENGINE_SECONDS):
            await database.writes.probe(database.transaction)
    except (problems.Unavailable, TimeoutError, *db.DATABASE_UNREACHABLE):
        return database.writes.problem  # the other checks tell of a database that does not respond
    if database.writes.problem is None and settings.database_url is None:
        free = await asyncio.to_thread(free_bytes, settings.data_dir)
        if free < FREE_BYTES_MIN:
            return f"The disk of the data folder is nearly full: {free // 1_000_000} MB are free."
    return database.writes.problem


async def datastore_status(context: AppContext) -> DatastoreStatus:
    """Query the database and measure how long it takes.

    Raises:
        Unavailable: the database is unreachable, or accepts no changes.
    """
    started = clock.monotonic()
    async with asyncio.timeout(DATASTORE_SECONDS), context.database.connection() as connection:
        server_version = str(await connection.fetchval(_SERVER_VERSION))
        revision = str(await connection.fetchval(_REVISION))
    if problem := await write_problem(context):
        raise problems.Unavailable(problem, headers={"Retry-After": "5"})
    return DatastoreStatus(server_version, revision, clock.monotonic() - started)
