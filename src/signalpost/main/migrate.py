"""Brings the database to the newest revision: Alembic writes the SQL, asyncpg runs it, one process at a time."""

import asyncio
import contextlib
import io
import re
from pathlib import Path

import asyncpg

from signalpost.kit import log
from signalpost.kit.errors import OperatorError

FOLDER = Path(__file__).resolve().parents[3] / "migrations"
_LOCK = 7_310_569_101  # advisory: one migrator at a time, the others wait and find nothing left to do
_LOCK_WAIT_SECONDS = 120
_logger = log.get("migrate")


class DatabaseTooNew(OperatorError):
    """The database was migrated by a newer version of this program."""


class DatabaseTooOld(OperatorError):
    """The server is older than PostgreSQL 15."""


def _revisions() -> list[str]:
    """Revision names in order, read off the file names: nothing of alembic is imported to learn that all is done."""
    return sorted(path.name.split("_")[0] for path in FOLDER.glob("versions/[0-9]*.py"))


def newest() -> str:
    """Return the newest revision that this program knows."""
    return _revisions()[-1]


async def current_revision(connection: "asyncpg.Connection[asyncpg.Record]") -> str | None:
    """Return the revision the database is at, or None for an empty one."""
    if await connection.fetchval("select to_regclass('alembic_version')") is None:
        return None
    found = await connection.fetchval("select version_num from alembic_version")
    return None if found is None else str(found)


async def state(connection: "asyncpg.Connection[asyncpg.Record]") -> str:
    """Return `current` or `pending`."""
    return "current" if await current_revision(connection) == newest() else "pending"


async def migrate(dsn: str) -> list[str]:
    """Apply what is missing, in one transaction; returns the revisions applied.

    Raises:
        DatabaseTooNew: the database knows a revision that this program does not.
        DatabaseTooOld: PostgreSQL is older than 15.
    """
    connection = await asyncpg.connect(dsn)
    try:
        if connection.get_server_version().major < 15:
            raise DatabaseTooOld("Signalpost needs PostgreSQL 15 or newer.")
        if await current_revision(connection) == newest():
            return []
        async with connection.transaction():
            await connection.execute(f"set local lock_timeout = '{_LOCK_WAIT_SECONDS}s'")
            await connection.execute("select pg_advisory_xact_lock($1)", _LOCK)
            await connection.execute("set local lock_timeout = '10s'")
            at = await current_revision(connection)
            known = _revisions()
            if at is not None and at not in known:
                raise DatabaseTooNew(
                    f"The database is at revision {at}; this program knows revisions up to {newest()}."
                )
            missing = known[known.index(at) + 1 :] if at else known
            if missing:
                await connection.execute(await asyncio.to_thread(_sql, at, newest()))
                _logger.info("database.migrated", revisions=missing)
            return missing
    finally:
        await connection.close()


def _sql(since: str | None, until: str) -> str:
    from alembic import command  # noqa: PLC0415 - alembic and SQLAlchemy cost 0.4 s that a usual start does not need
    from alembic.config import Config  # noqa: PLC0415

    buffer = io.StringIO()
    config = Config(output_buffer=buffer)
    config.set_main_option("script_location", str(FOLDER))
    with contextlib.redirect_stdout(io.StringIO()):
        command.upgrade(config, f"{since or 'base'}:{until}", sql=True)
    # The caller's transaction holds all of it, together with the lock.
    return re.sub(r"^(BEGIN|COMMIT);$", "", buffer.getvalue(), flags=re.MULTILINE)
