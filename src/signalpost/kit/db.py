"""PostgreSQL through plain asyncpg: one pool, JSON columns, transactions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import asyncpg
import msgspec

from signalpost.kit import problems

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

Row: TypeAlias = asyncpg.Record
if TYPE_CHECKING:
    Db: TypeAlias = asyncpg.Connection[Row] | PoolConnectionProxy[Row]
    """A connection. Routes that write get one inside a transaction, routes that read one without."""
else:
    Db = asyncpg.Connection  # the class is generic only for type checkers

RETRYABLE = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
"""Errors after which the whole transaction may be run again."""

DATABASE_DOWN = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the connection was cut in the middle of a result
    asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError,  # its disk is full, its memory is used up, or all its connections are in use
    asyncpg.ReadOnlySQLTransactionError,  # it is a standby, or its operator made it read-only
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)
"""Errors that mean that the database cannot work right now."""

ACQUIRE_SECONDS = 5.0
STATEMENT_SECONDS = 20.0
RELEASE_SECONDS = 2.0
"""How long the server may take to cancel a statement that timed out; then the connection is cut."""

_json_encode = msgspec.json.Encoder().encode
_json_decode = msgspec.json.Decoder().decode


def _to_json(value: Any) -> str:
    return _json_encode(value).decode()


async def _prepare(connection: Any) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind, schema="pg_catalog", encoder=_to_json, decoder=_json_decode, format="text"
        )


async def _skip_reset(connection: Any) -> None:
    """Skip asyncpg's reset: nothing here sets session state outside a transaction."""


class Database:
    """The connection pool. Code that needs a transaction other than its request's gets it here."""

    def __init__(self, pool: "asyncpg.Pool[Row]", dsn: str) -> None:
        self.pool = pool
        self.dsn = dsn

    @classmethod
    async def open(cls, dsn: str, *, connections_max: int = 16, application_name: str = "signalpost") -> "Database":
        """Connect; raises what asyncpg raises if the server cannot be reached."""
        pool = await asyncpg.create_pool(
            dsn,
            min_size=1,
            max_size=connections_max,
            max_inactive_connection_lifetime=60,
            max_queries=0x7FFFFFFF,  # recycling by count has no benefit; the lifetime above bounds leaks
            init=_prepare,
            reset=_skip_reset,
            timeout=ACQUIRE_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            server_settings={"application_name": application_name, "timezone": "UTC", "jit": "off"},
        )
        return cls(pool, dsn)

    async def close(self) -> None:
        """Close the pool, and cut connections that are not released within ten seconds."""
        try:
            await asyncio.wait_for(self.pool.close(), timeout=10)
        except TimeoutError:
            self.pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Db]:
        """Lend a connection without a transaction, for reads.

        Raises:
            Unavailable: no connection is free within five seconds, or the database cannot be reached.
        """
        try:
            # A timeout costs a task, so it is set only if there is no idle connection.
            free = self.pool.get_idle_size() > 0
            connection = await self.pool.acquire(timeout=None if free else ACQUIRE_SECONDS)
        except (*DATABASE_DOWN, asyncpg.PostgresError, TimeoutError) as error:  # for whatever reason: no connection
            raise problems.Unavailable(
                "The database is not available right now.", headers={"Retry-After": "2"}
            ) from error
        try:
            yield connection
        finally:
            await self.pool.release(connection, timeout=RELEASE_SECONDS)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """Lend a connection inside a transaction, which is committed at the end and rolled back by any exception."""
        async with self.connection() as db, db.transaction():
            yield db
