"""The loop of one source: claim ready lanes, run their items, have the lanes released, wait."""

import asyncio
import contextlib
import math
import random
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from functools import partial
from operator import itemgetter
from typing import Any
from uuid import UUID

from signalpost.engine.backlog import Backlog
from signalpost.engine.clock import ClockGuard, boottime
from signalpost.engine.contract import Source
from signalpost.engine.failover import Failover
from signalpost.engine.lanes import LaneStatements
from signalpost.engine.lease import LaneLease
from signalpost.engine.position import Position
from signalpost.engine.registration import WorkerRegistration
from signalpost.engine.release import Releaser, backoff
from signalpost.engine.shares import Shares, claimant_of
from signalpost.kit.db import Database, Db, Row

IDLE_SECONDS_MAX = 1.0
IDLE_SECONDS_OF_OTHERS = 9.0
"""How often workers look that are notified of what is due: before their connection is closed as unused."""
CLAIM_SECONDS = 5.0
"""How often a worker that polls claims though nothing looks ready, since claims note which server answers."""
LOOK_SECONDS = 0.05
"""After this long another worker takes a lane whose own worker has not taken it."""
LATE_SECONDS = 0.04
"""How much later than the first worker the second one takes what is due."""
_GATHER_SECONDS = 0.005
"""While lanes have to wait, a claim waits this long for more to come free: one claim of many costs less than many."""


class _ClockStepped(Exception):
    """The database clock jumped: undo the claim that saw it."""


class Runner:
    """Claims and runs the lanes of one source in this process."""

    def __init__(
        self,
        source: Source[Any, Any],
        database: Database,
        registration: WorkerRegistration,
        clock: ClockGuard,
        tenant_sql: Callable[[str], str],
        failover: Failover,
        position: Position,
    ) -> None:
        self.source = source
        self.statements = LaneStatements(source, tenant_sql)
        self.releaser = Releaser(source, self.statements, database, self._forget)
        self.leases: set[LaneLease] = set()
        self.woken = asyncio.Event()
        self.looped_at = float("-inf")  # by boottime()
        self.stopping = False
        self._hinted = True  # something is likely to be ready: look by claiming
        self._is_only_one = False  # no other worker was notified
        self._expects = True  # something becomes ready when the pause ends
        self._refused = False  # no lane was left to claim with
        self._mine_at = float("inf")  # by boottime(): when a lane is ready that was released here
        self._looked_at = self._spread_at = float("-inf")  # by boottime()
        self._look: asyncio.TimerHandle | None = None
        self._misses = 0  # claims in a row that found lanes which were locked
        self._floor_found_at = float("-inf")  # by boottime()
        self._database = database
        self._registration = registration
        self._clock = clock
        self._failover = failover
        self._position = position
        self._shares = Shares(source.lanes, source.lanes_per_workspace, source.lanes_per_tenant)
        self._backlog = Backlog()
        self._claim_lock = asyncio.Lock()

    @property
    def paused(self) -> bool:
        has_clock_problem = self._clock.problem is not None and self.source.pauses_on_clock_step
        return self._registration.is_held or has_clock_problem

    async def loop(self) -> None:
        """Claim until asked to stop. Survives everything but cancellation."""
        failures = 0
        while not self.stopping:
            self.woken.clear()
            self.looped_at = boottime()
            try:
                pause = await self._round()
                failures = 0
            except Exception as error:  # noqa: BLE001 - the loop must not die; it logs the error and slows down
                failures += 1
                self._hinted = True  # what it was notified of may be waiting still
                await asyncio.sleep(backoff("claim", self.source.kind, failures, error))  # waking does not shorten it
                continue
            if pause <= 0:
                await asyncio.sleep(0)
                continue
            try:
                # Timers count whole milliseconds: one that fired early would find nothing.
                await asyncio.wait_for(self.woken.wait(), math.ceil(pause * 1000) / 1000)
            except TimeoutError:
                self._hinted |= self._expects

    def wake(self, *, is_only_one: bool = False) -> None:
        """Claim now: something may be due. `is_only_one`: no other worker knows of it."""
        self._hinted = True
        self._is_only_one |= is_only_one
        self.woken.set()

    def look_soon(self) -> None:
        """Another worker was notified: see a moment later that it is gone."""
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._end_look)

    def _end_look(self) -> None:
        self._look = None
        self._looked_at = float("-inf")
        self.woken.set()

    async def _round(self) -> float:
        """Claim if something is likely to be ready; return the seconds to wait for the next round."""
        pause = 0.0 if self._hinted or self._backlog.active else await self._until_next()
        if pause <= 0:
            is_only_one, self._hinted, self._is_only_one = self._is_only_one, False, False
            self._mine_at = float("inf")
            if await self.claim(max(1, self.source.lanes // 2)):
                self._misses = 0
                await self._gather()
            elif self._shares.free <= 0:
                self._refused = True
                if is_only_one:
                    self._spread()
                pause, self._expects = IDLE_SECONDS_MAX, False
            elif (pause := await self._until_next()) <= 0:  # ready, but locked by another: soon again, then later
                self._misses += 1
                pause = 0.0025 * 2 ** min(self._misses, 8)
        await self._find_floor()
        return pause

    async def quiesce(self) -> None:
        """Stop claiming; on return no claim is under way."""
        self.stopping = True
        if self._look is not None:
            self._look.cancel()
        self.woken.set()
        async with self._claim_lock:
            pass

    async def claim(self, lanes: int, *, items: int | None = None) -> list[LaneLease]:
        """Claim up to `lanes` lanes and `items` items, and start running them.

        Raises:
            whatever the database or the source raises; then nothing was claimed.
        """
        async with self._claim_lock:
            owner, free = self._registration.owner, min(lanes, self._shares.free)
            if free <= 0 or owner is None or self.paused or self.stopping:
                return []
            per_lane = self.source.per_lane
            if items is not None:
                per_lane = min(per_lane, items)
                free = min(free, items // per_lane)
            try:
                async with self._database.transaction() as db:
                    may_claim = await self._failover.may_claim(db)
                    leases = await self._claim_leases(db, owner, free, per_lane) if may_claim else []
            except _ClockStepped:
                return []
            self._failover.committed(db)
            if owner != self._registration.owner:
                return []  # others took us for dead meanwhile; the lanes are free again
            self._start(leases)
            return leases

    async def _claim_leases(self, db: Db, owner: UUID, lanes: int, per_lane: int) -> list[LaneLease]:
        sent = boottime()
        rows = await self._claim_lanes(db, owner, lanes)
        if not rows:
            return []
        if not self._registration.observe(rows[0]["clock"], sent) and self.source.pauses_on_clock_step:
            raise _ClockStepped
        leases = {
            row["key"]: LaneLease(self.source, self._database, row, owner, sent, self._position)
            for row in sorted(rows, key=itemgetter("wake_at"))
        }
        items: dict[UUID, list[Any]] = {key: [] for key in leases}
        for key, item in await self.source.due(db, list(leases.values()), per_lane):
            items[key].append(item)
        for key, lease in leases.items():
            lease.hand_out(items[key])
        for row in rows:
            leases[row["key"]].metrics.lag.observe(max(0.0, row["lag"]))
        return list(leases.values())

    async def _claim_lanes(self, db: Db, owner: UUID, lanes: int) -> Sequence[Row]:
        """Claim in order of time; as soon as some lanes have to wait, turn by turn over tenants."""
        room = min(lanes, self._shares.room)
        if not self._backlog.active and room:
            rows = await self.statements.claim(db, owner, room)
            if len(rows) == room:
                self._backlog.begin(self._shares.with_lanes(claimant_of(row) for row in rows))
                self._spread()
            return rows
        if self._backlog.active and self._backlog.seconds_left > 0:
            self._backlog.add(await self.statements.arrived(db, self._backlog.seen_until))
        else:
            if not self._backlog.active:
                self._backlog.begin(self._shares)
            self._backlog.replace(await self.statements.by_turn(db, self._backlog.ahead))
        rows = []
        while not rows and (keys := self._backlog.take(lanes, self._shares)):
            rows = await self.statements.claim_named(db, owner, keys)
        return rows

    def _start(self, leases: list[LaneLease]) -> None:
        earlier = {lease.key: lease for lease in self.leases}
        for lease in leases:
            if (lost := earlier.get(lease.key)) is not None:  # taken away and free again before we noticed
                lost.cancel()
                lease.predecessor = lost.task
            self.leases.add(lease)
            self._shares.hold(lease.claimant)
            lease.metrics.claimed.inc(lease.claimed)
            lease.task = asyncio.create_task(lease.run(), name=f"engine.{lease.kind}")
            lease.task.add_done_callback(partial(self._end, lease))

    def _end(self, lease: LaneLease, _task: "asyncio.Task[None]") -> None:
        lease.end()
        self.releaser.add(lease)

    def _spread(self) -> None:
        """Tell all workers that more is ready than this one can take."""
        if self._registration.others and boottime() - self._spread_at >= LOOK_SECONDS:
            self._spread_at = boottime()
            self._database.wakes.add({self.source.kind: {None}})

    def _forget(self, leases: Collection[LaneLease], next_seconds: float | None) -> None:
        """`next_seconds`: until one of their lanes is ready again. What is ready later than a poll is others' work."""
        for lease in leases:
            self.leases.discard(lease)
            self._shares.give_back(lease.claimant)
            lease.released.set()
        if next_seconds is not None and next_seconds <= IDLE_SECONDS_MAX:
            self._mine_at = min(self._mine_at, boottime() + max(0.0, next_seconds))
        if self._refused:
            self._hinted, self._refused = True, False
        self.woken.set()

    async def _gather(self) -> None:
        """Before the next claim, let lanes come free if nearly all are taken and others wait anyway."""
        until = boottime() + _GATHER_SECONDS
        await asyncio.sleep(0)
        while self._backlog.active and self._shares.free < self.source.lanes // 4 and boottime() < until:
            self.woken.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.woken.wait(), _GATHER_SECONDS)

    async def _find_floor(self) -> None:
        is_used = self._registration.polls or self._backlog.active or self.leases
        if is_used and boottime() - self._floor_found_at >= IDLE_SECONDS_MAX:
            self._floor_found_at = boottime()
            async with self._database.connection() as db:
                await self.statements.find_floor(db)

    async def _until_next(self) -> float:
        """Return the seconds until a lane is ready for us, or until we look again; 0 or less: claim now."""
        self._expects = False
        idle = IDLE_SECONDS_MAX * random.uniform(0.8, 1)  # noqa: S311 - sources that ask in turn share a connection
        if self._shares.free <= 0 or self.paused or self._registration.owner is None:
            return idle  # a release, or the clock, wakes us
        now = boottime()
        mine = self._mine_at - now
        if mine <= 0:
            return 0.0
        if self._registration.polls:
            if now - self._failover.asked_at >= CLAIM_SECONDS:
                return 0.0
        elif not self._backlog.active:
            idle = IDLE_SECONDS_OF_OTHERS * random.uniform(0.8, 1)  # noqa: S311 - as above
            if (left := self._looked_at + idle - now) > 0:
                self._expects = mine < left
                return min(mine, left)
        after = None
        if self._backlog.active:
            idle = min(idle, self._backlog.seconds_left)
            after = self._backlog.seen_until + timedelta(microseconds=1)
        self._looked_at = now
        async with self._database.connection() as db:
            seconds = await self.statements.seconds_to_next(db, after)
        is_late = self._registration.place > 0 and not self._backlog.active
        next_one = math.inf if seconds is None else seconds + is_late * LATE_SECONDS
        self._expects = mine < idle or (next_one < idle and not is_late)
        return min(idle, mine, next_one)
