"""Which database the service uses: the operator's own, or the embedded one."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.sharing import shared_cluster
from signalpost.kit.errors import OperatorError
from signalpost.migrations import runner
from signalpost.settings import Settings

if TYPE_CHECKING:
    import asyncpg

_SECONDS_MAX = 10.0
STARTING_SECONDS_MAX = 30.0
"""How long to wait for a server that is starting up; it may be replaying its log after a crash."""
_SESSION = "select pg_backend_pid()"
_SERVER = "select pg_postmaster_start_time(), oid from pg_database where datname = current_database()"


class ForeignEncoding(OperatorError):
    """The database cannot store every text."""


class DatabaseUnreachable(OperatorError):
    """Nothing answers at the address of the database."""


class PooledDatabase(OperatorError):
    """The address leads to a pooler that gives each transaction another session."""


class UnusablePooler(OperatorError):
    """The pooler leads to another database, or knows nothing of prepared statements."""


@asynccontextmanager
async def database_of(
    settings: Settings, *, meanwhile: Callable[[], None] = lambda: None, requests: bool = False
) -> AsyncIterator[tuple[str, Cluster | None]]:
    """Yield the address of the database, migrated, and the embedded cluster if it is that one.

    `meanwhile` is called in any case: while an embedded server starts, else before. `requests`: they are to be
    answered, so that the pooler has to work too.

    Raises:
        PostgresFailed: the embedded server does not start.
        DatabaseTooNew, RevisionTooOld, DatabaseTooOld, DatabaseBusy, MigrationFailed: see `runner.migrate`.
        DatabaseUnreachable, PooledDatabase, ForeignEncoding: see `require_usable`.
        UnusablePooler: see `require_pooler`.
    """
    if settings.database_url:
        settings.data_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
        meanwhile()
        await require_usable(settings.database_url)
        if requests and settings.database_pooler_url:
            await require_pooler(settings.database_pooler_url, settings.database_url)
        await runner.migrate(settings.database_url)
        yield settings.database_url, None
        return
    async with shared_cluster(settings.data_dir, meanwhile=meanwhile) as cluster:
        await runner.migrate(cluster.dsn(), superuser_dsn=cluster.dsn(user="postgres"))
        yield cluster.dsn(), cluster


async def require_usable(dsn: str) -> None:
    """Verify what we need of a server that is not ours; wait while it starts.

    A connection has to be one session of the server: session locks, LISTEN and prepared statements need that.

    Raises:
        DatabaseUnreachable: nothing answers there.
        PooledDatabase: two transactions of one connection ran in different sessions, or two connections share one.
        ForeignEncoding: its encoding is not UTF8.
    """
    import asyncpg  # noqa: PLC0415 - imported while an embedded server starts

    options: dict[str, Any] = {"timeout": _SECONDS_MAX, "command_timeout": _SECONDS_MAX, "statement_cache_size": 0}
    first = await _connect_when_ready(dsn, options)
    try:
        encoding = await first.fetchval("show server_encoding")
        if encoding != "UTF8":
            raise ForeignEncoding(
                f"The database of SIGNALPOST_DATABASE_URL has the encoding {encoding}, so most texts cannot be stored."
                " Create one with `create database NAME encoding 'UTF8' template template0`."
            )
        second = await asyncpg.connect(dsn, **options)
        try:
            is_pooled = await _share_sessions(first, second)
        finally:
            second.terminate()
    finally:
        first.terminate()
    if is_pooled:
        raise PooledDatabase(
            "SIGNALPOST_DATABASE_URL leads to a pooler in transaction mode, through which session locks and"
            " notifications do not work: use the address of PostgreSQL itself, or session mode. The pooler can be"
            " SIGNALPOST_DATABASE_POOLER_URL."
        )


async def require_pooler(pooler_dsn: str, dsn: str) -> None:
    """Verify that requests can go through a pooler in transaction mode, or one in session mode.

    Raises:
        DatabaseUnreachable: nothing answers at one of the addresses.
        UnusablePooler: it does not lead to this database, or a statement is lost when its session changes.
    """
    import asyncpg  # noqa: PLC0415 - see `require_usable`

    setting = "SIGNALPOST_DATABASE_POOLER_URL"
    options: dict[str, Any] = {"timeout": _SECONDS_MAX, "command_timeout": _SECONDS_MAX}
    opened: list[asyncpg.Connection[Any]] = []
    try:
        opened += [await _connect_when_ready(place, options, setting) for place in (dsn, pooler_dsn, pooler_dsn)]
        direct, first, second = opened
        if await direct.fetchrow(_SERVER) != await first.fetchrow(_SERVER):
            raise UnusablePooler(f"{setting} leads to another database than SIGNALPOST_DATABASE_URL.")
        await _use_in_several_sessions(first, second)
    except (asyncpg.InvalidSQLStatementNameError, asyncpg.DuplicatePreparedStatementError):
        raise UnusablePooler(
            f"The pooler of {setting} loses prepared statements: use PgBouncer 1.21 or newer, and set"
            " `max_prepared_statements = 200` there."
        ) from None
    except TimeoutError:
        raise UnusablePooler(
            f"The pooler of {setting} gave no session within {_SECONDS_MAX:.0f} seconds: it needs at least two."
        ) from None
    except asyncpg.PostgresError as error:  # PgBouncer refuses users and databases with errors of the protocol
        raise UnusablePooler(f"The pooler of {setting} refuses to work: {error}.") from None
    finally:
        for connection in opened:
            connection.terminate()


async def _use_in_several_sessions(first: "asyncpg.Connection[Any]", second: "asyncpg.Connection[Any]") -> None:
    """Run a prepared statement of the first connection in another session of the server than the one that knows it."""
    prepared = await first.prepare(_SESSION)
    before = await prepared.fetchval()
    async with second.transaction():
        occupied = await second.fetchval(_SESSION)
        if await prepared.fetchval() != before:
            return
    if occupied != before:  # a pooler that gives sessions in turn, or the last one first
        await prepared.fetchval()


async def _connect_when_ready(
    dsn: str, options: dict[str, Any], setting: str = "SIGNALPOST_DATABASE_URL"
) -> "asyncpg.Connection[Any]":
    """Connect; wait for a server that is still starting, as after a restart of the whole machine."""
    import asyncpg  # noqa: PLC0415 - see `require_usable`

    end = time.monotonic() + STARTING_SECONDS_MAX
    while True:
        try:
            connection: asyncpg.Connection[Any] = await asyncpg.connect(dsn, **options)
        except asyncpg.CannotConnectNowError:  # "the database system is starting up"
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.2)
        except OSError as error:  # a TimeoutError is one too
            raise DatabaseUnreachable(
                f"The database at {_place(dsn)} cannot be reached: {_reason(error)}. Check that PostgreSQL runs there,"
                f" and the address in {setting}."
            ) from None
        else:
            return connection


def _place(dsn: str) -> str:
    """Return host and port of an address, or the folder of its socket; never user and password."""
    parts = urlsplit(dsn)
    _, _, hosts = parts.netloc.rpartition("@")
    return hosts or dict(parse_qsl(parts.query)).get("host", "its default socket")


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"no response within {_SECONDS_MAX:.0f} seconds"
    return os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)


async def _share_sessions(first: "asyncpg.Connection[Any]", second: "asyncpg.Connection[Any]") -> bool:
    """Occupy with one connection the session that a pooler would give to the other next."""
    before = await _session(first)
    async with second.transaction():
        meanwhile: int = await second.fetchval(_SESSION)
        return before == meanwhile or before != await _session(first)


async def _session(connection: "asyncpg.Connection[Any]") -> int:
    async with connection.transaction():
        session: int = await connection.fetchval(_SESSION)
    return session
