"""Who we are to the other workers: a session lock that dies with us, leases renewed, the dead cleaned up after.

Two levels. The lock covers a process that ended: the server frees it at once, and any worker's next second frees its
lanes. The lease covers what keeps a session open without living: a hung host, a stopped process, a cut network.
"""

import asyncio
import contextlib
import random
import socket
from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

import asyncpg

from signalpost.engine import lanes, metrics
from signalpost.engine.clock import ClockGuard, steady
from signalpost.engine.contract import LEASE_SECONDS
from signalpost.engine.turn import Turn
from signalpost.kit import ids, log
from signalpost.kit.db import DATABASE_DOWN

_log = log.get("engine")

BEAT_SECONDS = 1.0
RENEW_SECONDS = 10.0
STATEMENT_SECONDS = 5.0
# After a restart of the database all workers come back within moments; nobody is taken for dead meanwhile.
REAP_GRACE_SECONDS = 2.0
RECONNECT_SECONDS_MAX = 1.0

_BEAT = """
update worker set seen_at = now(), looped_at = case when $2 then now() else looped_at end where id = $1
returning extract(epoch from clock_timestamp())::float8
"""
_REGISTER = "insert into worker (id, lock_key, host) values ($1, $2, $3)"
_STILL_KNOWN = "select true from worker where id = $1 and pg_try_advisory_lock(lock_key)"


class Presence:
    """Holds this process's session, and keeps its identity through reconnects unless others took it for dead."""

    def __init__(
        self,
        dsn: str,
        clock: ClockGuard,
        *,
        held: Callable[[], Iterable[Turn]],
        looping: Callable[[], bool],
        woken: Callable[[str | None], None],
    ) -> None:
        """`held`: turns to renew; `looping`: whether claims go on; `woken`: work of that kind (None: any) is due."""
        self.owner: UUID | None = None
        self._dsn = dsn
        self._clock = clock
        self._held = held
        self._looping = looping
        self._woken = woken
        self._connection: asyncpg.Connection[Any] | None = None
        self._gone = asyncio.Event()
        self._reap_from = 0.0
        self._renew_at = 0.0
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect and register.

        Raises:
            what asyncpg raises when the server is not there or the schema is missing.
        """
        await self._connect()
        self._task = asyncio.create_task(self._keep(), name="engine.presence")

    async def close(self) -> None:
        """Leave; lanes still held are freed by others within a second. Never fails."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._connection is not None and not self._connection.is_closed():
            with contextlib.suppress(*DATABASE_DOWN, asyncpg.PostgresError):
                await self._connection.execute("delete from worker where id = $1", self.owner)
            with contextlib.suppress(*DATABASE_DOWN, asyncpg.PostgresError):
                await self._connection.close(timeout=2)
        self.owner = None

    async def _keep(self) -> None:
        failures = 0
        while True:
            try:
                if self._connection is None or self._connection.is_closed():
                    await self._connect()
                await self._beat()
                failures = 0
            except Exception as error:  # noqa: BLE001 - whatever it was, the next second tries again
                failures += 1
                metrics.LOOP_FAILURES.labels("presence").inc()
                _log.warning("presence.failed", failures=failures, error=repr(error))
                self._drop_expired()
                if isinstance(error, DATABASE_DOWN) and self._connection is not None:
                    self._connection.terminate()
                await asyncio.sleep(min(RECONNECT_SECONDS_MAX, 0.05 * 2 ** min(failures, 6)) * random.uniform(0.7, 1))  # noqa: S311 - spreads load
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._gone.wait(), BEAT_SECONDS)
            self._gone.clear()

    async def _connect(self) -> None:
        connection: asyncpg.Connection[Any] = await asyncpg.connect(
            self._dsn,
            timeout=STATEMENT_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            server_settings={"application_name": "signalpost presence", "timezone": "UTC"},
        )
        try:
            connection.add_termination_listener(lambda _: self._gone.set())
            await connection.add_listener("lane", lambda *event: self._woken(event[3]))
            again = self.owner is not None
            if not (again and await connection.fetchval(_STILL_KNOWN, self.owner)):
                await self._register(connection)
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection
        self._reap_from = steady() + (REAP_GRACE_SECONDS if again else 0)
        self._renew_at = 0.0
        self._woken(None)

    async def _register(self, connection: "asyncpg.Connection[Any]") -> None:
        """Become somebody new. The lock comes before the row: a row without a lock means dead."""
        self._cancel(self._held())
        owner = ids.new_id()
        lock_key = owner.int & (1 << 62) - 1
        await connection.fetchval("select pg_advisory_lock($1)", lock_key)
        await connection.execute(_REGISTER, owner, lock_key, socket.gethostname())
        self.owner = owner

    async def _beat(self) -> None:
        connection = self._connection
        assert connection is not None  # noqa: S101 - _keep connects first
        sent = steady()
        database = await connection.fetchval(_BEAT, self.owner, self._looping())
        if database is None:  # others took us for dead and freed our lanes
            _log.warning("presence.forgotten", owner=str(self.owner))
            await self._register(connection)
            return
        trusted = self.observe(database, sent)
        if sent >= self._renew_at:
            await self._renew(connection, sent)
        if sent >= self._reap_from:
            await self._reap(connection, leases=trusted)

    def observe(self, database: float, sent: float) -> bool:
        """Take a reading of the database clock; return whether it may be trusted."""
        before = self._clock.problem
        trusted = self._clock.observe(database, sent, steady())
        if self._clock.problem != before:
            _log.error("clock.stepped" if not trusted else "clock.trusted", problem=self._clock.problem)
        return trusted

    async def _renew(self, connection: "asyncpg.Connection[Any]", sent: float) -> None:
        self._renew_at = sent + RENEW_SECONDS
        turns = {(turn.kind, turn.key, turn.fence): turn for turn in self._held() if turn.owner == self.owner}
        if not turns:
            return
        columns = [list(column) for column in zip(*turns, strict=True)]
        for row in await connection.fetch(lanes.RENEW, *columns, self.owner, float(LEASE_SECONDS)):
            turn = turns[row["kind"], row["key"], row["fence"]]
            if row["renewed"]:
                turn.fresh_until = sent + LEASE_SECONDS
            elif row["ours"]:
                self._renew_at = sent  # locked: with the next beat
            elif not turn.released.is_set():
                turn.cancel()

    async def _reap(self, connection: "asyncpg.Connection[Any]", *, leases: bool) -> None:
        async with connection.transaction():
            rows = await connection.fetch(lanes.REAP, self.owner, leases)
            await connection.execute(lanes.FORGET_DEAD, self.owner)
        for row in rows:
            metrics.REAPED.labels(row["kind"]).inc(row["lanes"])
            _log.warning("lanes.reaped", source=row["kind"], lanes=row["lanes"])
            self._woken(row["kind"])

    def _drop_expired(self) -> None:
        """Without the database nobody renews: what may have run out is somebody else's by now."""
        self._cancel(turn for turn in self._held() if turn.fresh_until <= steady())

    def _cancel(self, turns: Iterable[Turn]) -> None:
        for turn in list(turns):
            turn.cancel()
