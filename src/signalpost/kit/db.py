"""PostgreSQL through plain asyncpg: one pool, loans, transactions."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

import asyncpg

from signalpost.kit import clock, isolation, log, problems, tracing
from signalpost.kit.connections import PATIENT, Connection, PooledConnection, prepare, set_codecs
from signalpost.kit.patience import patience
from signalpost.kit.pool import Pool
from signalpost.kit.tenant import tenant
from signalpost.kit.wakes import NOTIFY, Wakes, Woken, columns
from signalpost.kit.writes import Writes

Row: TypeAlias = asyncpg.Record
if TYPE_CHECKING:
    Db: TypeAlias = asyncpg.Connection[Row]
    """A connection. Routes that write get one inside a transaction, routes that read one without."""
else:
    Db = asyncpg.Connection  # the class is generic only for type checkers

_logger = log.get("database")

RETRYABLE = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.LockNotAvailableError,  # another session holds a row for too long; if it is frozen, the server ends it
)
"""Errors after which the whole transaction may be run again."""

DATABASE_DOWN = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the connection was cut in the middle of a result
    asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError,  # its disk is full, its memory is used up, or all its connections are in use
    asyncpg.ReadOnlySQLTransactionError,  # it is a standby, or its operator made it read-only
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleInTransactionSessionTimeoutError,  # this process stood still in a transaction, which is over
    asyncpg.TransactionTimeoutError,
)
"""Errors that mean that the database cannot work right now: asyncpg wraps those of the system in its own."""

DATABASE_UNREACHABLE = (OSError, *DATABASE_DOWN)
"""The same, for code that does nothing but work with the database: opening a connection fails with any OSError."""


def is_down(error: Exception) -> bool:
    """Return whether an error means that the database cannot work right now, rather than that we used it wrongly."""
    return isinstance(error, DATABASE_DOWN) and not isinstance(error, ValueError)  # asyncpg's DataError is both


ACQUIRE_SECONDS = 5.0
STATEMENT_SECONDS = 20.0
"""Time limit of a statement outside of requests; those of a request share the time of its `Patience`."""
READ_SECONDS = 5.0
"""Time limit of a read whose work grows with the number of rows that are stored."""
IDLE_SECONDS = 10.0
"""How long a connection is kept open without use."""
RESERVE_CONNECTIONS = 6
WORKER_CONNECTIONS = (1, 2)
"""Connections and reserve of a process that answers no requests: four with that of its registration."""


async def _follow_clock(connection: Any) -> None:
    """Have this process go by the clock of the database, if its machine has another time."""
    started = clock.monotonic()
    database = await connection.fetchval("select clock_timestamp()")
    ahead = clock.follow(database, within_seconds=clock.monotonic() - started)
    if ahead:
        _logger.warning("clock.apart", database_ahead_seconds=round(ahead, 1))


class Database:
    """The connection pool. Code that needs a transaction other than its request's gets it here."""

    def __init__(self, pool: Pool, dsn: str, reserve: "Database | None" = None, *, is_isolated: bool = False) -> None:
        self.pool = pool
        self.dsn = dsn
        self.is_isolated = is_isolated
        """Whether connections see only the rows of the tenant that they are lent to."""
        self.writes: Writes = reserve.writes if reserve else Writes()
        self.wakes: Wakes = reserve.wakes if reserve else Wakes(self._notify)
        self.reserve = reserve or self
        """A few connections more, opened when needed, for the engine: requests cannot use them up."""

    @classmethod
    async def open(
        cls, dsn: str, *, connections_max: int = 16, reserve_max: int = RESERVE_CONNECTIONS,
        application_name: str = "signalpost", isolate: bool = False, pooler_dsn: str | None = None,
        reserve_is_pooled: bool = False,
    ) -> "Database":  # fmt: skip
        """Connect; raises what asyncpg raises if the server cannot be reached.

        `isolate`: lend connections for the rows of one tenant, if the database can. Otherwise they see all rows.
        `pooler_dsn`: a pooler in transaction mode to go through; with `reserve_is_pooled`, the reserve does too.
        """
        reserve_pooler = pooler_dsn if reserve_is_pooled else None
        reserve_pool = _pool(dsn, reserve_max, f"{application_name} engine", reserve_pooler, own_every_second=True)
        pool = _pool(dsn, connections_max, application_name, pooler_dsn)
        first = await pool.acquire(timeout_seconds=ACQUIRE_SECONDS)
        try:
            is_isolated = isolate and await isolation.are_in_force(first)
        except BaseException:
            first.terminate()  # no pool is returned that would close it
            raise
        pool.release(first)
        if is_isolated:
            pool.visible, reserve_pool.visible = isolation.of_task, isolation.of_engine
        reserve = cls(reserve_pool, dsn, is_isolated=is_isolated)
        return cls(pool, dsn, reserve, is_isolated=is_isolated)

    async def close(self) -> None:
        """Close the pool and the reserve, and cut connections that are not released within ten seconds."""
        await self.wakes.flush()
        await asyncio.gather(*(pool.close(timeout_seconds=10) for pool in {self.pool, self.reserve.pool}))

    async def _notify(self, woken: Woken) -> None:
        await self.pool.execute(NOTIFY, *columns(woken))

    def unavailable(self, error: BaseException) -> problems.Unavailable:
        """Return what clients learn of an error after which nothing can be read or changed."""
        self.writes.failed(error)
        detail = self.writes.problem or "The database is not available right now."
        return problems.Unavailable(detail, headers={"Retry-After": "2"})

    def connection(self) -> "_Loan":
        """Lend a connection without a transaction, for reads: `async with database.connection() as db`.

        It sees the rows of the task's workspace, or what `kit.tenant` says; so does a transaction.

        Raises:
            Unavailable: no connection is free within five seconds, or the database cannot be reached.
        """
        return _Loan(self.pool, self)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """Lend a connection inside a transaction, which is committed at the end and rolled back by any exception."""
        async with _Loan(self.pool, self, begins=True) as db, db.transaction():
            yield db

    @asynccontextmanager
    async def patient(self, visible: isolation.Visible) -> AsyncIterator[Db]:
        """Connect for work of minutes: a transaction of any length, outside of the pool, that sees these rows.

        Raises:
            Unavailable: the database cannot be reached.
        """
        try:
            connection = await asyncpg.connect(
                self.dsn,
                timeout=ACQUIRE_SECONDS,
                server_settings={"application_name": "signalpost patient", "timezone": "UTC"},
            )
        except (*DATABASE_UNREACHABLE, asyncpg.PostgresError) as error:
            raise self.unavailable(error) from error
        try:
            await set_codecs(connection)
            await connection.execute(PATIENT + isolation.show_sql(visible if self.is_isolated else None))
            yield connection
        finally:
            await connection.close(timeout=ACQUIRE_SECONDS)


def _pool(
    dsn: str, size: int, application_name: str, pooler_dsn: str | None = None, *, own_every_second: bool = False
) -> Pool:
    kind: type[Connection] = PooledConnection if pooler_dsn else Connection
    if tracing.recorder is not None:
        kind = _traced(is_pooled=pooler_dsn is not None)

    async def connect() -> Db:
        connection: Db = await asyncpg.connect(
            pooler_dsn or dsn,
            timeout=ACQUIRE_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            server_settings={"application_name": application_name, "timezone": "UTC"},
            connection_class=kind,
        )
        try:
            await prepare(connection)
            await _follow_clock(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    show = PooledConnection.show if pooler_dsn else None
    return Pool(connect, size=size, idle_seconds=IDLE_SECONDS, show=show, own_every_second=own_every_second)


def _traced(*, is_pooled: bool) -> type[Connection]:
    from signalpost.kit import traced_connections  # noqa: PLC0415 - for a process that records spans

    return traced_connections.TracedPooledConnection if is_pooled else traced_connections.TracedConnection


class _Loan:
    """A connection for the length of an `async with`. A class, because a generator takes as long as all the rest."""

    __slots__ = ("_begins", "_connection", "_database", "_pool")

    def __init__(self, pool: Pool, database: Database, *, begins: bool = False) -> None:
        self._pool = pool
        self._database = database
        self._begins = begins

    async def __aenter__(self) -> Db:
        borrower = tenant.get()
        try:
            self._connection: Db = await self._acquire(borrower and borrower.id)
        except (*DATABASE_UNREACHABLE, asyncpg.PostgresError) as error:  # for whatever reason: no connection
            raise self._database.unavailable(error) from error
        if clock.must_follow():
            await self._follow_clock()
        if self._begins and (visible := self._pool.missing(self._connection)) is not None:
            self._connection.begin_with = isolation.show_sql(visible, local=True)  # type: ignore[attr-defined] # Connection
        return self._connection

    async def _acquire(self, borrower: Hashable) -> Db:
        if (mine := patience.get()) is None:
            return await self._pool.acquire(borrower, timeout_seconds=ACQUIRE_SECONDS, is_set=not self._begins)
        seconds = mine.begin(ACQUIRE_SECONDS)
        try:
            return await self._pool.acquire(borrower, timeout_seconds=seconds, is_set=not self._begins)
        finally:
            mine.end()

    async def _follow_clock(self) -> None:
        try:
            await _follow_clock(self._connection)
        except BaseException:
            self._pool.release(self._connection, at_rest=False)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self._database.writes.failed(error)
        if self._begins:
            self._connection.begin_with = ""  # type: ignore[attr-defined] # if it never began
        woken: Woken | None = self._connection.woken  # type: ignore[attr-defined] # Connection
        if woken:
            self._connection.woken = None  # type: ignore[attr-defined]
            self._database.wakes.add(woken)
        # After a cancellation or a timeout the server may still work on the statement.
        at_rest = error is None or not isinstance(error, asyncio.CancelledError | TimeoutError)
        self._pool.release(self._connection, at_rest=at_rest)
