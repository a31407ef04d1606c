"""The loop of one source: claim ready lanes, run their turns, release them in batches, wait."""

import asyncio
import contextlib
import random
from collections import Counter
from functools import partial
from operator import itemgetter
from typing import Any
from uuid import UUID

from signalpost.engine import buckets, metrics
from signalpost.engine.clock import ClockGuard, steady
from signalpost.engine.contract import ERROR_PAUSE_SECONDS, Source
from signalpost.engine.lanes import LaneStatements
from signalpost.engine.presence import Presence
from signalpost.engine.turn import Turn
from signalpost.kit import log
from signalpost.kit.db import DATABASE_DOWN, RETRYABLE, Database, Db
from signalpost.kit.problems import Unavailable

_log = log.get("engine")

IDLE_SECONDS_MAX = 1.0
_BACKOFF_SECONDS_MAX = 2.0
_RELEASE_LANES_MAX = 256


class _ClockStepped(Exception):
    """The claim saw a clock it does not trust: undo it."""


class Runner:
    def __init__(self, source: Source[Any, Any], database: Database, presence: Presence, clock: ClockGuard) -> None:
        self.source = source
        self.statements = LaneStatements(source)
        self.held: set[Turn] = set()
        self.woken = asyncio.Event()
        self.looped_at = float("-inf")  # steady seconds
        self.stopping = False
        self._floor_found_at = float("-inf")  # steady seconds
        self._database = database
        self._presence = presence
        self._clock = clock
        self._busy: Counter[UUID] = Counter()
        self._claiming = asyncio.Lock()
        self._ended: list[Turn] = []
        self._some_ended = asyncio.Event()

    @property
    def paused(self) -> bool:
        return self._clock.problem is not None and self.source.pauses_on_clock_step

    async def loop(self) -> None:
        """Claim until told to stop. Outlives everything but cancellation."""
        failures = misses = 0
        while not self.stopping:
            self.woken.clear()
            self.looped_at = steady()
            try:
                if await self.claim(max(1, self.source.lanes // 2)):
                    failures = misses = 0
                    await asyncio.sleep(0)
                    continue
                pause = await self._until_next()
                misses = misses + 1 if pause <= 0 else 0  # ready, but locked by somebody: look again soon, then later
                pause = max(pause, 0.0025 * 2 ** min(misses, 8) if misses else 0.001)
                failures = 0
            except Exception as error:  # noqa: BLE001 - the loop must not die; it says so and slows down
                failures += 1
                await asyncio.sleep(_failed("claim", self.source.kind, failures, error))  # hints do not shorten it
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.woken.wait(), pause)

    async def quiesce(self) -> None:
        """Claim no more; on return no claim is under way."""
        self.stopping = True
        self.woken.set()
        async with self._claiming:
            pass

    async def claim(self, lanes: int, *, items: int | None = None) -> list[Turn]:
        """Take up to `lanes` lanes and `items` items, and set their turns going.

        Raises:
            whatever the database or the source raises; then nothing was taken.
        """
        async with self._claiming:
            owner, free = self._presence.owner, min(lanes, self.source.lanes - len(self.held))
            if free <= 0 or owner is None or self.paused or self.stopping:
                return []
            per_lane = self.source.per_lane
            if items is not None:
                per_lane = min(per_lane, items)
                free = min(free, items // per_lane)
            try:
                async with self._database.transaction() as db:
                    turns = await self._take(db, owner, free, per_lane)
            except _ClockStepped:
                return []
            if owner != self._presence.owner:
                return []  # somebody took us for dead meanwhile; the lanes are free again
            self._start(turns)
            return turns

    async def _take(self, db: Db, owner: UUID, lanes: int, per_lane: int) -> list[Turn]:
        sent = steady()
        if sent - self._floor_found_at >= IDLE_SECONDS_MAX:
            await self.statements.find_floor(db)
            self._floor_found_at = sent
        rows = await self.statements.claim(db, lanes, owner, self._busy)
        if not rows:
            return []
        if not self._presence.observe(rows[0]["clock"], sent) and self.source.pauses_on_clock_step:
            raise _ClockStepped
        turns = {
            row["key"]: Turn(self.source, self._database, row, owner, sent)
            for row in sorted(rows, key=itemgetter("wake_at"))
        }
        items: dict[UUID, list[Any]] = {key: [] for key in turns}
        for key, item in await self.source.due(db, list(turns), per_lane):
            items[key].append(item)
        if type(self.source).bucket is not Source.bucket:
            await self._take_tokens(db, turns, items)
        for key, turn in turns.items():
            turn.hand_out(items[key])
        for row in rows:
            metrics.LAG.labels(*turns[row["key"]].labels).observe(max(0.0, row["lag"]))
        return list(turns.values())

    async def _take_tokens(self, db: Db, turns: dict[UUID, Turn], items: dict[UUID, list[Any]]) -> None:
        """Cut from `items` those without a token, and what follows them in their lane: the order stays."""
        needs = {key: [self.source.bucket(item) for item in some] for key, some in items.items()}
        wanted = Counter(bucket for some in needs.values() for bucket in some if bucket is not None)
        grants = await buckets.take(db, wanted) if wanted else {}
        used: Counter[str] = Counter()
        for key, turn in turns.items():
            for at, bucket in enumerate(needs[key]):
                if bucket is None or (grant := grants.get(bucket)) is None:
                    continue
                used[bucket] += 1
                if used[bucket] > grant.tokens:
                    turn.hold = grant.wait_seconds(used[bucket] - grant.tokens - 1)
                    turn.back = [(key, item) for item in items[key][at:]]
                    del items[key][at:]
                    break

    def _start(self, turns: list[Turn]) -> None:
        former = {turn.key: turn for turn in self.held}
        for turn in turns:
            if (lost := former.get(turn.key)) is not None:  # taken away and free again before we noticed
                lost.cancel()
                turn.after = lost.task
            self.held.add(turn)
            if turn.workspace_id is not None:
                self._busy[turn.workspace_id] += 1
            metrics.CLAIMED.labels(*turn.labels).inc(turn.claimed)
            turn.task = asyncio.create_task(turn.run(), name=f"engine.{turn.kind}")
            turn.task.add_done_callback(partial(self._end, turn))

    def _end(self, turn: Turn, _task: "asyncio.Task[None]") -> None:
        turn.end()
        self._ended.append(turn)
        self._some_ended.set()

    async def release_loop(self) -> None:
        """Release ended turns, all that are there in one transaction; while one runs, the next ones gather."""
        failures = 0
        while True:
            await self._some_ended.wait()
            batch = self._ended[:_RELEASE_LANES_MAX]
            try:
                for owner in {turn.owner for turn in batch}:
                    await self._release(owner, [turn for turn in batch if turn.owner == owner])
                failures = 0
            except Exception as error:  # noqa: BLE001 - the lanes stay ours, and are released by a later try
                failures += 1
                await asyncio.sleep(_failed("release", self.source.kind, failures, error))
                if failures < 10 or isinstance(error, (*DATABASE_DOWN, Unavailable)):
                    continue
            del self._ended[: len(batch)]
            if not self._ended:
                self._some_ended.clear()
            self._forget(batch)

    async def _release(self, owner: UUID, turns: list[Turn]) -> None:
        turns.sort(key=lambda turn: turn.key)
        keys, fences = [turn.key for turn in turns], [turn.fence for turn in turns]
        async with self._database.transaction() as db:
            ours = await self.statements.lock(db, keys, fences, owner)
            mine = [turn for turn in turns if turn.key in ours]
            await self._settle(db, mine)
            await self.statements.free(db, [turn.key for turn in mine], [turn.hold for turn in mine])
        for turn in turns:
            if turn.key not in ours:
                metrics.LEASE_LOST.labels(*turn.labels).inc()
                _log.warning("lease.lost", source=turn.kind, lane=str(turn.key), dropped=len(turn.done))

    async def _settle(self, db: Db, turns: list[Turn]) -> None:
        """Let the source write its ends; one that cannot be written holds up its own lane only."""
        back = [pair for turn in turns for pair in turn.back]
        if back:
            await self.source.hand_back(db, back)
        done = [end for turn in turns for end in turn.done]
        if not done:
            return
        try:
            async with db.transaction():
                await self.source.settle(db, done)
        except Exception as error:
            if db.is_closed() or isinstance(error, RETRYABLE):
                raise
            _log.error("settle.failed", source=self.source.kind, items=len(done), exc_info=error)
            for turn in turns:
                await self._settle_singly(db, turn)

    async def _settle_singly(self, db: Db, turn: Turn) -> None:
        for end in turn.done:
            try:
                async with db.transaction():
                    await self.source.settle(db, [end])
            except Exception as error:
                if db.is_closed() or isinstance(error, RETRYABLE):
                    raise
                metrics.ERRORS.labels(*turn.labels).inc()
                _log.error("settle.item_failed", source=turn.kind, lane=str(turn.key), exc_info=error)
                turn.hold = max(turn.hold, ERROR_PAUSE_SECONDS)

    def _forget(self, turns: list[Turn]) -> None:
        for turn in turns:
            self.held.discard(turn)
            if turn.workspace_id is not None:
                self._busy[turn.workspace_id] -= 1
                if not self._busy[turn.workspace_id]:
                    del self._busy[turn.workspace_id]
            turn.released.set()
        self.woken.set()

    async def _until_next(self) -> float:
        """Return seconds until a lane is ready for us, at most 1; 0 or less: one is ready, but was locked."""
        if len(self.held) >= self.source.lanes or self.paused or self._presence.owner is None:
            return IDLE_SECONDS_MAX  # a release, or the clock, wakes us
        async with self._database.connection() as db:
            seconds = await self.statements.seconds_to_next(db, self._busy)
        return IDLE_SECONDS_MAX if seconds is None else min(IDLE_SECONDS_MAX, seconds)


def _failed(loop: str, kind: str, failures: int, error: Exception) -> float:
    """Say that a round failed; return how many seconds to wait before the next."""
    metrics.LOOP_FAILURES.labels(loop).inc()
    gone = isinstance(error, (*DATABASE_DOWN, Unavailable))
    _log.warning(f"{loop}.failed", source=kind, failures=failures, error=repr(error), exc_info=None if gone else error)
    return min(_BACKOFF_SECONDS_MAX, 0.05 * 2.0 ** min(failures, 8)) * random.uniform(0.7, 1)  # noqa: S311 - spreads load
