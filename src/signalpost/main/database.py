"""Which database the service uses: the operator's own, or the embedded one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from signalpost.embedded_postgres.cluster import Cluster, is_initialised
from signalpost.embedded_postgres.sharing import shared_cluster
from signalpost.kit.errors import OperatorError
from signalpost.migrations import runner
from signalpost.settings import Settings

if TYPE_CHECKING:
    import asyncpg

_SECONDS_MAX = 10.0
_SESSION = "select pg_backend_pid()"


class PooledDatabase(OperatorError):
    """The address leads to a pooler that gives each transaction another session."""


@asynccontextmanager
async def database_of(
    settings: Settings, *, meanwhile: Callable[[], None] = lambda: None
) -> AsyncIterator[tuple[str, Cluster | None]]:
    """Yield the address of the database, migrated, and the embedded cluster if it is that one.

    `meanwhile` is called in any case: while an embedded server starts, else before.

    Raises:
        PostgresFailed: the embedded server does not start.
        DatabaseTooNew, DatabaseTooOld: see `runner.migrate`.
        PooledDatabase: see `require_sessions`.
    """
    if settings.database_url:
        meanwhile()
        await require_sessions(settings.database_url)
        await runner.migrate(settings.database_url)
        yield settings.database_url, None
        return
    is_first_start = not is_initialised(settings.data_dir / "postgres")

    def import_meanwhile() -> None:
        meanwhile()
        if is_first_start:  # initdb takes longer than every import
            runner.import_tools()

    async with shared_cluster(settings.data_dir, meanwhile=import_meanwhile) as cluster:
        await runner.migrate(cluster.dsn())
        yield cluster.dsn(), cluster


async def require_sessions(dsn: str) -> None:
    """Verify that a connection is one session of the server: session locks, LISTEN and prepared statements need that.

    Raises:
        PooledDatabase: two transactions of one connection ran in different sessions, or two connections share one.
    """
    import asyncpg  # noqa: PLC0415 - imported while an embedded server starts

    options: dict[str, Any] = {"timeout": _SECONDS_MAX, "command_timeout": _SECONDS_MAX, "statement_cache_size": 0}
    first = await asyncpg.connect(dsn, **options)
    try:
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
            " notifications do not work: use the address of PostgreSQL itself, or session mode."
        )


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
