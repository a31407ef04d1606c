"""PostgreSQL through plain asyncpg: one pool, JSON columns, transactions."""

import asyncio
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

import asyncpg
import msgspec

from signalpost.kit import clock, isolation, log, problems
from signalpost.kit.patience import patience
from signalpost.kit.pool import Pool
from signalpost.kit.tenant import tenant
from signalpost.kit.wakes import NOTIFY, Wakes, Woken, columns, read_notice
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

# A process that freezes, or a host that is cut off, must not keep rows locked: the server ends its transaction, then
# its session. Whoever waits for a row gives up before that. The settings for TCP mean nothing on a local socket.
SESSION_LIMITS = {
    "idle_in_transaction_session_timeout": "15s",
    "transaction_timeout": "30s",  # a session that waits for the rest of a statement does not count as idle
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "20s",
}
# Notices tell what a transaction woke: see `kit.wakes`.
_SESSION = {"jit": "off", "lock_timeout": "5s", "client_min_messages": "notice", **SESSION_LIMITS}

_ENDS = ("COMMIT", "ROLLBACK")
"""How asyncpg ends a transaction."""

_json_encode = msgspec.json.Encoder().encode
_json_decode = msgspec.json.Decoder().decode


def _to_json(value: Any) -> str:
    return _json_encode(value).decode()


def session_sql(values: Mapping[str, str]) -> str:
    """Return statements that set these for the session, if the server knows them: `transaction_timeout` is of 17.

    A pooler refuses them as parameters of the connection.
    """
    return "".join(
        f"select set_config('{name}', '{value}', false) where current_setting('{name}', true) is not null; "
        for name, value in values.items()
    )


_SET_SESSION = session_sql(_SESSION)
_OF_A_POOLER = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout")
"""Settings of the network connection to the server: behind a pooler that is not ours."""
TRANSACTION_TIMEOUT_SINCE = 17
_PATIENT = session_sql(
    {
        "statement_timeout": "0",
        "idle_in_transaction_session_timeout": "0",
        "transaction_timeout": "0",
        "lock_timeout": "5s",
    }
)


class _Connection(asyncpg.Connection):
    """A connection whose settings outlive a reset, and that says whose rows it sees with the begin of a transaction."""

    begin_with = ""
    """What follows the next statement without arguments, in its round trip."""
    woken: Woken | None = None
    """Lanes that statements of this loan woke; None: no lane."""
    is_pooled = False
    """Whether each transaction has another session of the server."""

    def _process_log_message(self, fields: Any, _last_query: str) -> None:
        if self.woken is None:
            self.woken = {}
        read_notice(fields, self.woken)

    def get_reset_query(self) -> str:
        return f"{super().get_reset_query()}\n{_SET_SESSION}"

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:  # noqa: ASYNC109 - as asyncpg
        if self.begin_with and not args:  # whose rows are seen, without a round trip of its own: decision 0137
            query, self.begin_with = query + self.begin_with, ""
        if (mine := patience.get()) is None:
            return await self._status(query, args, timeout)
        seconds = mine.begin(timeout, is_end=query.startswith(_ENDS))
        try:
            return await self._status(query, args, seconds)
        finally:
            mine.end()

    async def _status(self, query: str, args: Any, seconds: float | None) -> str:
        status: str = await super().execute(query, *args, timeout=seconds)
        return status

    async def _execute(self, query: str, args: Any, limit: int, timeout: float | None, **options: Any) -> Any:  # noqa: ASYNC109 - as asyncpg
        """Run what returns rows; all methods but `execute` come through here."""
        if (mine := patience.get()) is None:
            return await super()._execute(query, args, limit, timeout, **options)  # type: ignore[misc] # not in the stubs
        seconds = mine.begin(timeout)
        try:
            return await super()._execute(query, args, limit, seconds, **options)  # type: ignore[misc]
        finally:
            mine.end()


class _PooledConnection(_Connection):
    """A connection to a pooler in transaction mode, where each transaction has another session of the server.

    So nothing is set for the session: every transaction begins with what holds in it, in the same round trip, and a
    statement outside of transactions gets one of its own. See decision 0318.
    """

    is_pooled = True
    visible: isolation.Visible = None

    async def show(self, visible: isolation.Visible) -> None:
        """Show these rows in each transaction from now on."""
        self.visible = visible

    def get_reset_query(self) -> str:
        return ""  # an open transaction is rolled back in any case

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:  # noqa: ASYNC109 - as asyncpg
        if query[:5].upper() == "BEGIN":
            return await super().execute(f"{query.rstrip(';')}; {self._local()}", timeout=timeout)
        if query.startswith(_ENDS) or self._is_inside():
            return await super().execute(query, *args, timeout=timeout)
        async with self._alone():
            return await super().execute(query, *args, timeout=timeout)

    async def _execute(self, query: str, args: Any, limit: int, timeout: float | None, **options: Any) -> Any:  # noqa: ASYNC109 - as asyncpg
        if self._is_inside():
            return await super()._execute(query, args, limit, timeout, **options)
        async with self._alone():
            return await super()._execute(query, args, limit, timeout, **options)

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Give one statement a transaction. asyncpg's own would take itself for open after a BEGIN that failed."""
        try:
            await self.execute("BEGIN")
            yield
            await self.execute("COMMIT")
        except BaseException:
            if not self.is_closed():
                await self.execute("ROLLBACK")
            raise

    def _is_inside(self) -> bool:
        """Whether a transaction is open, or there is no connection to open one on: then any statement says so."""
        return self.is_closed() or self.is_in_transaction()

    def _local(self) -> str:
        is_known = self.get_server_version().major >= TRANSACTION_TIMEOUT_SINCE
        settings = "; ".join(
            f"set local {name} = '{value}'"
            for name, value in _SESSION.items()
            if name not in _OF_A_POOLER and (is_known or name != "transaction_timeout")
        )
        return f"{settings}; {isolation.show_sql(self.visible, local=True)}"


async def _prepare(connection: Any) -> None:
    if not connection.is_pooled:  # not `isinstance`, which asyncpg answers with yes for all its connections
        await connection.execute(_SET_SESSION)
    await _set_codecs(connection)


async def _set_codecs(connection: Any) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind, schema="pg_catalog", encoder=_to_json, decoder=_json_decode, format="text"
        )


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
        reserve_pool = _pool(dsn, reserve_max, f"{application_name} engine", reserve_pooler)
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
            await _set_codecs(connection)
            await connection.execute(_PATIENT + isolation.show_sql(visible if self.is_isolated else None))
            yield connection
        finally:
            await connection.close(timeout=ACQUIRE_SECONDS)


def _pool(dsn: str, size: int, application_name: str, pooler_dsn: str | None = None) -> Pool:
    async def connect() -> Db:
        connection: Db = await asyncpg.connect(
            pooler_dsn or dsn,
            timeout=ACQUIRE_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            server_settings={"application_name": application_name, "timezone": "UTC"},
            connection_class=_PooledConnection if pooler_dsn else _Connection,
        )
        try:
            await _prepare(connection)
            await _follow_clock(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    return Pool(connect, size=size, idle_seconds=IDLE_SECONDS, show=_PooledConnection.show if pooler_dsn else None)


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
            self._connection.begin_with = isolation.show_sql(visible, local=True)  # type: ignore[attr-defined] # _Connection
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
        woken: Woken | None = self._connection.woken  # type: ignore[attr-defined] # _Connection
        if woken:
            self._connection.woken = None  # type: ignore[attr-defined]
            self._database.wakes.add(woken)
        # After a cancellation or a timeout the server may still work on the statement.
        at_rest = error is None or not isinstance(error, asyncio.CancelledError | TimeoutError)
        self._pool.release(self._connection, at_rest=at_rest)
