"""Brings the database to the newest revision, one process at a time."""

import asyncio
import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

from signalpost.kit import log
from signalpost.kit.db import Db
from signalpost.kit.errors import OperatorError
from signalpost.migrations import policies
from signalpost.migrations.head import HEAD

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.ext.asyncio import AsyncEngine

FOLDER = Path(__file__).parent
POSTGRES_MAJOR_MIN = 15
_LOCK = 7_310_569_101  # advisory: one process migrates, the others wait and then find nothing left to do
_LOCK_WAIT_SECONDS = 120
_STATEMENT_LOCK_WAIT_SECONDS = 2
"""A statement that waits for a table keeps everyone waiting who comes after it, readers too."""
_PAUSE_SECONDS = 2.0
_TRIES_MAX = 30
_logger = log.get("migrations")


class DatabaseTooNew(OperatorError):
    """The database was migrated by a newer version of this program."""


class DatabaseTooOld(OperatorError):
    """The server is older than PostgreSQL 15."""


class DatabaseBusy(OperatorError):
    """Another session, such as a dump, uses tables that have to be changed."""


class _LockedOut(Exception):
    """A statement waited too long for a table, so all of the migration was taken back."""


async def current_revision(connection: Db) -> str | None:
    """Return the revision of the database, or None for an empty database."""
    if await connection.fetchval("select to_regclass('alembic_version')") is None:
        return None
    revision: str | None = await connection.fetchval("select version_num from alembic_version")
    return revision


async def is_current(connection: Db) -> bool:
    """Return whether the database is at the newest revision."""
    return await current_revision(connection) == HEAD


async def migrate(dsn: str, *, superuser_dsn: str | None = None, to: str = HEAD) -> list[str]:
    """Apply the missing revisions in one transaction and return them, oldest first; then keep tenants apart.

    Alembic and SQLAlchemy are imported only if there is something to apply: they cost 0.3 s.
    `superuser_dsn`: see `policies.ensure`. `to`: an earlier revision to stop at, where tenants are not kept apart yet.

    Raises:
        DatabaseTooNew: the database is at a revision that this program does not know.
        DatabaseTooOld: PostgreSQL is older than 15.
        DatabaseBusy: tables were in use for minutes.
    """
    connection = await asyncpg.connect(dsn)
    try:
        if connection.get_server_version().major < POSTGRES_MAJOR_MIN:
            raise DatabaseTooOld(f"Signalpost needs PostgreSQL {POSTGRES_MAJOR_MIN} or newer.")
        applied = [] if await current_revision(connection) == to else await _upgrade(dsn, to)
        if applied:
            _logger.info("database.migrated", revisions=len(applied), newest=applied[-1])
        if to == HEAD:
            await _isolate(connection, superuser_dsn)
    finally:
        await connection.close()
    return applied


def require_known(revision: str) -> None:
    """Verify that this program knows a revision.

    Raises:
        DatabaseTooNew: it does not.
    """
    names = {path.name.partition("_")[0] for path in (FOLDER / "versions").glob("[0-9]*_*.py")}
    if revision not in names:
        raise DatabaseTooNew(f"The data is at revision {revision}; this program knows revisions up to {HEAD}.")


async def _isolate(connection: Db, superuser_dsn: str | None) -> None:
    if await policies.are_current(connection):
        return
    await connection.execute(f"set lock_timeout = '{_LOCK_WAIT_SECONDS}s'")
    await connection.execute(f"select pg_advisory_lock({_LOCK})")
    await connection.execute(f"set lock_timeout = '{_STATEMENT_LOCK_WAIT_SECONDS}s'")
    await policies.ensure(connection, superuser_dsn=superuser_dsn)


def import_tools() -> None:
    """Import what only `migrate` needs, for callers that have time now and will have to migrate."""
    for name in ("alembic.command", "sqlalchemy.ext.asyncio", "sqlalchemy.dialects.postgresql.asyncpg"):
        importlib.import_module(name)


async def _upgrade(dsn: str, to: str) -> list[str]:
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - see `migrate`
    from sqlalchemy.pool import NullPool  # noqa: PLC0415 - see `migrate`

    # asyncpg itself reads the DSN, so that migrations connect exactly as the pool does.
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(dsn), poolclass=NullPool
    )
    for _ in range(_TRIES_MAX):
        try:
            return await _try_upgrade(engine, to)
        except _LockedOut:
            _logger.warning("database.tables_in_use", again_in_seconds=_PAUSE_SECONDS)
            await asyncio.sleep(_PAUSE_SECONDS)
    raise DatabaseBusy(
        "The database cannot be migrated: another session, such as a dump or a long query, uses the tables. Nothing was"
        " changed. Start again when it has ended; pg_stat_activity shows it."
    )


async def _try_upgrade(engine: "AsyncEngine", to: str) -> list[str]:
    async with engine.begin() as connection:
        await connection.exec_driver_sql(f"set local lock_timeout = '{_LOCK_WAIT_SECONDS}s'")
        await connection.exec_driver_sql(f"select pg_advisory_xact_lock({_LOCK})")
        await connection.exec_driver_sql(f"set local lock_timeout = '{_STATEMENT_LOCK_WAIT_SECONDS}s'")
        try:
            return await connection.run_sync(_upgrade_connection, to)
        except Exception as error:
            # What comes through SQLAlchemy is wrapped by it, a whole script is not.
            if getattr(getattr(error, "orig", error), "sqlstate", None) == asyncpg.LockNotAvailableError.sqlstate:
                raise _LockedOut from error
            raise


def _upgrade_connection(connection: "Connection", to: str) -> list[str]:
    from alembic import command  # noqa: PLC0415 - see `migrate`
    from alembic.config import Config  # noqa: PLC0415 - see `migrate`
    from alembic.migration import MigrationContext  # noqa: PLC0415 - see `migrate`
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - see `migrate`

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(FOLDER))
    revisions = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in revisions:
        raise DatabaseTooNew(f"The database is at revision {current}; this program knows revisions up to {HEAD}.")
    command.upgrade(config, to)
    return revisions[0 if current is None else revisions.index(current) + 1 : revisions.index(to) + 1]
