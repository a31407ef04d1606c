"""A worker's registration: a session lock that ends with the process, lease renewal, clean-up after dead workers.

Two levels. The lock covers a process that ended: the server frees it at once, and any worker frees its lanes within a
second. The lease covers a session that stays open without progress: a hung host, a stopped process, a cut network.
"""

import asyncio
import contextlib
import random
import socket
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from signalpost.engine import hold, lanes, metrics
from signalpost.engine.clock import ClockGuard, boottime
from signalpost.engine.contract import LEASE_SECONDS
from signalpost.engine.lease import LaneLease
from signalpost.engine.position import MARK, Position
from signalpost.kit import ids, isolation, log
from signalpost.kit.connections import SESSION_LIMITS, session_sql
from signalpost.kit.db import DATABASE_UNREACHABLE, Database
from signalpost.kit.wakes import channel_of

_log = log.get("engine")

HEARTBEAT_SECONDS = 1.0
RENEW_SECONDS = 10.0
STATEMENT_SECONDS = 5.0
REAP_SECONDS = 5.0
"""How often to look for expired leases while no worker died: the index of held lanes keeps many dead entries."""
POLLERS = 2
"""So many workers look for what is due, and after the dead: the first, and one a moment later in case it hangs."""
# After a restart of the database all workers reconnect within moments; none is taken for dead meanwhile.
PRUNE_GRACE_SECONDS = 2.0
RECONNECT_SECONDS_MAX = 1.0

_REGISTER = "insert into worker (id, lock_key, host) values ($1, $2, $3)"
_UNREGISTER = "delete from worker where id = $1"
_STILL_REGISTERED = "select true from worker where id = $1 and pg_try_advisory_lock(lock_key)"
_HEARTBEAT = f"""
update worker set seen_at = now(), looped_at = case when $2 then now() else looped_at end, clock_problem = $3,
    clock_stepped = $4
where id = $1
returning extract(epoch from clock_timestamp())::float8 as clock,
    case when $5 then exists (
        select from worker w where w.id <> $1 and pg_try_advisory_xact_lock(w.lock_key)) end as one_died,
    (select array[count(*) filter (where w.id < $1), count(*)] from worker w
        where w.id <> $1 and w.looped_at > now() - interval '2 s')::integer[] as others,
    (select min(w.clock_problem) from worker w where w.id <> $1 and w.clock_stepped) as step_seen_by_others,
    (select backup_made_at from engine_hold) as held_since_backup_of,
    {MARK} as mark
"""  # noqa: S608 - a constant


class WorkerRegistration:
    """Holds this process's session. Keeps its worker id through reconnects unless others took it for dead."""

    def __init__(
        self,
        database: Database,
        clock: ClockGuard,
        *,
        leases: Callable[[], Iterable[LaneLease]],
        claims_run: Callable[[], bool],
        on_wake: Callable[[str | None], None],
        on_hint: Callable[[str], None],
        position: Position,
        on_connect: Callable[[], Awaitable[None]],
    ) -> None:
        """Prepare; `open` connects.

        Args:
            database: whose address does not lead through a pooler in transaction mode.
            clock: is shown every reading of the database clock.
            leases: returns those to renew.
            claims_run: whether this process is claiming, for the heartbeat.
            on_wake: is called when work of that kind (None: any) may be due.
            on_hint: is called with what this worker alone is notified of; see `kit.wakes.channel_of`.
            position: notes every heartbeat.
            on_connect: is called when the server may be another one, before anything is written there.
        """
        self.owner: UUID | None = None
        """The worker id; None while not registered."""
        self.is_held = False
        """Whether an operator has to say first that this database may be worked on; see `hold`."""
        self.place = 0
        """How many workers come before this one. Workers may disagree for a moment, which does no harm."""
        self.others = 0
        """How many other workers claim."""
        self._database = database
        self._clock = clock
        self._leases = leases
        self._claims_run = claims_run
        self._on_wake = on_wake
        self._on_hint = on_hint
        self._position = position
        self._on_connect = on_connect
        self._connection: asyncpg.Connection[Any] | None = None
        self._disconnected = asyncio.Event()
        self._prune_from = 0.0
        self._renew_at = 0.0
        self._reap_at = 0.0
        self._logged_problem: str | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def polls(self) -> bool:
        """Whether this worker looks for what is due; the others work when they are notified."""
        return self.place < POLLERS

    async def open(self) -> None:
        """Connect and register.

        Raises:
            what asyncpg raises when the server cannot be reached or the schema is missing.
        """
        await self._connect()
        await self._heartbeat()  # reports what other workers know of the clock, before anything is claimed
        self._task = asyncio.create_task(self._run(), name="engine.registration")

    async def close(self) -> None:
        """Unregister. Other workers free lanes that are still held within a second. Never fails."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._connection is not None and not self._connection.is_closed():
            with contextlib.suppress(*DATABASE_UNREACHABLE, asyncpg.PostgresError):
                await self._connection.execute(_UNREGISTER, self.owner)
            with contextlib.suppress(*DATABASE_UNREACHABLE, asyncpg.PostgresError):
                await self._connection.close(timeout=2)
        self.owner = None

    def observe(self, database: float, sent: float) -> bool:
        """Take a reading of the database clock; return whether it may be trusted."""
        trusted = self._clock.observe(database, sent, boottime())
        if self._clock.problem != self._logged_problem:
            self._logged_problem = self._clock.problem
            _log.error("clock.stepped" if not trusted else "clock.trusted", problem=self._clock.problem)
        return trusted

    async def _run(self) -> None:
        failures = 0
        while True:
            try:
                if self._connection is None or self._connection.is_closed():
                    await self._connect()
                await self._heartbeat()
                failures = 0
            except Exception as error:  # noqa: BLE001 - whatever it was, the next round tries again
                failures += 1
                metrics.LOOP_FAILURES.labels("registration").inc()
                _log.warning("registration.failed", failures=failures, error=repr(error))
                self._cancel_expired()
                if isinstance(error, DATABASE_UNREACHABLE) and self._connection is not None:
                    self._connection.terminate()
                await asyncio.sleep(min(RECONNECT_SECONDS_MAX, 0.05 * 2 ** min(failures, 6)) * random.uniform(0.7, 1))  # noqa: S311 - spreads load
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._disconnected.wait(), HEARTBEAT_SECONDS)
            self._disconnected.clear()

    async def _connect(self) -> None:
        connection: asyncpg.Connection[Any] = await asyncpg.connect(
            self._database.dsn,
            timeout=STATEMENT_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            server_settings={"application_name": "signalpost worker registration", "timezone": "UTC"},
        )
        try:
            await connection.execute(session_sql(SESSION_LIMITS) + isolation.show_sql(self._database.pool.visible()))
            connection.add_termination_listener(lambda _: self._disconnected.set())
            await connection.add_listener(channel_of(), lambda *notification: self._on_wake(notification[3]))
            await self._on_connect()
            reconnected = self.owner is not None
            if reconnected and await connection.fetchval(_STILL_REGISTERED, self.owner):
                await self._listen(connection)
            else:
                await self._register(connection)
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection
        self._prune_from = boottime() + (PRUNE_GRACE_SECONDS if reconnected else 0)
        self._renew_at = 0.0
        self._on_wake(None)

    async def _register(self, connection: "asyncpg.Connection[Any]") -> None:
        """Register under a new worker id. Take the lock before inserting the row: a row without a lock means dead."""
        self._cancel(self._leases())
        owner = ids.new_id()
        lock_key = owner.int & (1 << 62) - 1
        await connection.fetchval("select pg_advisory_lock($1)", lock_key)
        await connection.execute(_REGISTER, owner, lock_key, socket.gethostname())
        self.owner = owner
        self._position.note_worker(owner)
        await self._listen(connection)

    async def _listen(self, connection: "asyncpg.Connection[Any]") -> None:
        """Listen to what is meant for this worker alone."""
        await connection.add_listener(
            channel_of(self.owner), lambda *notification: self._on_hint(notification[3])
        )  # fmt: skip

    async def _heartbeat(self) -> None:
        connection = self._connection
        assert connection is not None  # noqa: S101 - _run connects first
        sent = boottime()
        seen, before = (self._clock.seen_problem, self._clock.stepped), self._position.began()
        beat = await connection.fetchrow(_HEARTBEAT, self.owner, self._claims_run(), *seen, self.polls)
        if beat is None:  # others took us for dead and freed our lanes
            _log.warning("registration.lost", owner=str(self.owner))
            await self._register(connection)
            return
        self._position.committed(before, beat["mark"])
        self.place, self.others = beat["others"]
        self._note_hold(beat["held_since_backup_of"])
        self._clock.report(beat["step_seen_by_others"])
        trusted = self.observe(beat["clock"], sent)
        if sent >= self._renew_at:
            await self._renew_leases(connection, sent)
        if self.polls and sent >= self._prune_from and (beat["one_died"] or sent >= self._reap_at):
            self._reap_at = sent + REAP_SECONDS
            await self._prune_dead_workers(connection, clock_trusted=trusted)

    def _note_hold(self, backup_made_at: datetime | None) -> None:
        was_held, self.is_held = self.is_held, backup_made_at is not None
        if backup_made_at is not None and not was_held:
            _log.warning("engine.held", reason=hold.sentence(backup_made_at))
        elif was_held and backup_made_at is None:
            _log.info("engine.resumed")
            self._on_wake(None)

    async def _renew_leases(self, connection: "asyncpg.Connection[Any]", sent: float) -> None:
        self._renew_at = sent + RENEW_SECONDS
        leases = {(lease.kind, lease.key, lease.fence): lease for lease in self._leases() if lease.owner == self.owner}
        if not leases:
            return
        columns = [list(column) for column in zip(*leases, strict=True)]
        for row in await connection.fetch(lanes.RENEW, *columns, self.owner, float(LEASE_SECONDS)):
            lease = leases[row["kind"], row["key"], row["fence"]]
            if row["renewed"]:
                lease.fresh_until = sent + LEASE_SECONDS
            elif row["ours"]:
                self._renew_at = sent  # the lane row is locked: try again with the next heartbeat
            elif not lease.released.is_set():
                lease.cancel()

    async def _prune_dead_workers(self, connection: "asyncpg.Connection[Any]", *, clock_trusted: bool) -> None:
        """Free the lanes of dead workers, and expired leases if the clock can be trusted; then delete dead workers."""
        async with connection.transaction():
            rows = await connection.fetch(lanes.FREE_ABANDONED, self.owner, clock_trusted)
            await connection.execute(lanes.DELETE_DEAD_WORKERS, self.owner)
        for row in rows:
            metrics.LANES_FREED.labels(row["kind"]).inc(row["lanes"])
            _log.warning("lanes.freed", source=row["kind"], lanes=row["lanes"])
            self._on_wake(row["kind"])

    def _cancel_expired(self) -> None:
        """Cancel leases that may have expired: without the database they are not renewed, and others may take over."""
        self._cancel(lease for lease in self._leases() if lease.fresh_until <= boottime())

    def _cancel(self, leases: Iterable[LaneLease]) -> None:
        for lease in list(leases):
            lease.cancel()
