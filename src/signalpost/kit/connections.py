"""Connections to PostgreSQL: what is set for each session, JSON columns, and the bounds of a request's statements."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import asyncpg
import msgspec

from signalpost.kit import isolation
from signalpost.kit.patience import patience
from signalpost.kit.wakes import Woken, read_notice

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
SESSION = {"jit": "off", "lock_timeout": "5s", "client_min_messages": "notice", **SESSION_LIMITS}

_ENDS = ("COMMIT", "ROLLBACK")
"""How asyncpg ends a transaction."""

_OIDS_OF_POSTGRESQL: Final = range(1, 10_000)
"""Types of these numbers are part of PostgreSQL, and the same on every server."""
_types: dict[frozenset[int], Any] = {}
"""What a connection of this process has read of such types."""

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


SET_SESSION = session_sql(SESSION)
_OF_A_POOLER = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout")
"""Settings of the network connection to the server: behind a pooler that is not ours."""
TRANSACTION_TIMEOUT_SINCE = 17
PATIENT = session_sql(
    {
        "statement_timeout": "0",
        "idle_in_transaction_session_timeout": "0",
        "transaction_timeout": "0",
        "lock_timeout": "5s",
    }
)


class _NoStatement(NamedTuple):
    """Stands for the statement that reads types, where none was sent: what is prepared already stays so."""

    name: str = "none"


class Connection(asyncpg.Connection):
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

    async def _introspect_types(self, oids: Collection[int], timeout: float | None) -> tuple[Any, Any]:  # noqa: ASYNC109 - as asyncpg
        """Read what the driver has to know of types such as uuid[], once for all connections: see decision 0469."""
        key = frozenset(oids)
        if key in _types:
            return _types[key], _NoStatement()
        types, statement = await super()._introspect_types(oids, timeout)  # type: ignore[misc] # not in the stubs
        if all(oid in _OIDS_OF_POSTGRESQL for oid in key):
            _types[key] = types
        return types, statement

    def get_reset_query(self) -> str:
        return f"{super().get_reset_query()}\n{SET_SESSION}"

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


class PooledConnection(Connection):
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
            for name, value in SESSION.items()
            if name not in _OF_A_POOLER and (is_known or name != "transaction_timeout")
        )
        return f"{settings}; {isolation.show_sql(self.visible, local=True)}"


async def prepare(connection: Any) -> None:
    if not connection.is_pooled:  # not `isinstance`, which asyncpg answers with yes for all its connections
        await connection.execute(SET_SESSION)
    await set_codecs(connection)


async def set_codecs(connection: Any) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind, schema="pg_catalog", encoder=_to_json, decoder=_json_decode, format="text"
        )
