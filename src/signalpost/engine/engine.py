"""The engine of one process: a runner per source, one presence. `run` loops; `tick` does a bounded part of the same."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

from signalpost.engine.clock import ClockGuard, steady
from signalpost.engine.contract import EngineStatus, Source, SourceBacklog, TickReport
from signalpost.engine.presence import Presence
from signalpost.engine.runner import Runner
from signalpost.engine.turn import Turn
from signalpost.kit import log
from signalpost.kit.db import Database

_log = log.get("engine")

OVERDUE_SECONDS = 60.0
_LOOP_FRESH_SECONDS = 15.0
_CANCELLED_SECONDS_MAX = 5.0

_WORKERS = """
select count(*) filter (where seen_at > now() - interval '15 s') as workers, max(looped_at) as looped_at,
    coalesce(max(looped_at) > now() - interval '15 s', false) as running from worker
"""


class Engine:
    """Hands out work of `sources` while `run` runs or `tick` is called.

    Needs one connection of its own (session lock, LISTEN: not through a transaction-mode pooler) besides those of
    `database`.
    """

    def __init__(self, database: Database, sources: Sequence[Source[Any, Any]]) -> None:
        self.clock = ClockGuard()
        self._database = database
        self._presence = Presence(
            database.dsn, self.clock, held=self._held, looping=self._loops_are_fresh, woken=self._wake
        )
        self._runners = {source.kind: Runner(source, database, self._presence, self.clock) for source in sources}
        self._opening = asyncio.Lock()
        self._releasing: list[asyncio.Task[None]] = []
        self._opened = self._stopping = False

    async def run(self) -> None:
        """Work until `stop`. Waits for a database that is not there; raises nothing but CancelledError."""
        failures = 0
        while not self._stopping:
            for runner in self._runners.values():
                runner.looped_at = steady()  # the first beat shall tell already that somebody works
            try:
                await self._open()
                break
            except Exception as error:  # noqa: BLE001 - not there yet; readiness says so
                failures += 1
                _log.warning("engine.waits_for_database", failures=failures, error=repr(error))
                await asyncio.sleep(min(2.0, 0.1 * 2 ** min(failures, 5)))
        await asyncio.gather(*(runner.loop() for runner in self._runners.values()))

    async def stop(self, grace_seconds: float = 25.0) -> None:
        """Claim no more, let running items end, cancel them after the grace, hand all leases back. Never fails."""
        self._stopping = True
        await asyncio.gather(*(runner.quiesce() for runner in self._runners.values()))
        await _released(self._held(), steady() + grace_seconds, all_of_them=True)
        for turn in self._held():
            turn.cancel()
        await _released(self._held(), steady() + _CANCELLED_SECONDS_MAX, all_of_them=True)
        if left := self._held():
            _log.warning("engine.left_leases", lanes=len(left))
        for task in self._releasing:
            task.cancel()
        await asyncio.gather(*self._releasing, return_exceptions=True)
        await self._presence.close()

    async def tick(self, limit: int = 50, budget_seconds: float = 20.0) -> TickReport:
        """Work off up to `limit` due items of each source, and wait for their ends, at most for the budget.

        Safe at any concurrency, in any number of processes, beside `run` or without it. What has not ended within the
        budget goes on in the background.

        Raises:
            what the database raises when it is not there.
        """
        started = steady()
        await self._open()
        turns = await asyncio.gather(
            *(_drain(runner, limit, started + budget_seconds) for runner in self._runners.values())
        )
        backlogs = await self._backlogs(older_than_seconds=0)
        return TickReport(
            claimed={kind: sum(turn.claimed for turn in some) for kind, some in zip(self._runners, turns, strict=True)},
            outcomes={
                kind: dict(sum((turn.outcomes for turn in some), Counter()))
                for kind, some in zip(self._runners, turns, strict=True)
            },
            remaining=sum(backlog.overdue for backlog in backlogs.values()),
            oldest_due_age_seconds=max((b.oldest_due_age_seconds for b in backlogs.values()), default=0.0),
            duration_seconds=steady() - started,
        )

    async def status(self) -> EngineStatus:
        """Look at all workers and lanes of the database; needs neither `run` nor `tick` in this process.

        Raises:
            what the database raises when it is not there.
        """
        async with self._database.connection() as db:
            workers = await db.fetchrow(_WORKERS)
        assert workers is not None  # noqa: S101 - an aggregate
        sources = await self._backlogs(older_than_seconds=OVERDUE_SECONDS)
        return EngineStatus(
            running=workers["running"],
            workers=workers["workers"],
            last_loop_at=workers["looped_at"],
            overdue=sum(backlog.overdue for backlog in sources.values()),
            sources=sources,
            clock_problem=self.clock.problem,
        )

    async def _open(self) -> None:
        async with self._opening:
            if not self._opened and not self._stopping:
                await self._presence.open()
                self._opened = True
                self._releasing = [asyncio.create_task(runner.release_loop()) for runner in self._runners.values()]

    async def _backlogs(self, *, older_than_seconds: float) -> dict[str, SourceBacklog]:
        backlogs = {}
        async with self._database.connection() as db:
            for kind, runner in self._runners.items():
                row = await runner.statements.backlog(db, older_than_seconds)
                backlogs[kind] = SourceBacklog(row["ready_lanes"], row["items"], row["oldest"])
        return backlogs

    def _held(self) -> list[Turn]:
        return [turn for runner in self._runners.values() for turn in runner.held]

    def _loops_are_fresh(self) -> bool:
        oldest = min((runner.looped_at for runner in self._runners.values()), default=float("-inf"))
        return steady() - oldest < _LOOP_FRESH_SECONDS

    def _wake(self, kind: str | None) -> None:
        for runner in self._runners.values() if kind is None else filter(None, [self._runners.get(kind)]):
            runner.woken.set()


async def _drain(runner: Runner, limit: int, until: float) -> list[Turn]:
    """Claim until `limit` items were taken, nothing is ready or the time is up; then wait for the turns' release."""
    turns: list[Turn] = []
    left = limit
    while left > 0 and steady() < until:
        running = [turn for turn in turns if not turn.released.is_set()]  # before the claim, which may just miss one
        if taken := await runner.claim(runner.source.lanes, items=left):
            turns += taken
            left -= sum(turn.claimed for turn in taken)
        elif not running:
            break
        elif not any(turn.released.is_set() for turn in running):
            await _released(running, until, all_of_them=False)  # its lane may have more
    await _released(turns, until, all_of_them=True)
    return turns


async def _released(turns: Sequence[Turn], until: float, *, all_of_them: bool) -> None:
    """Wait for the release of one or all of `turns`, at most until then (steady seconds)."""
    waiting = [asyncio.create_task(turn.released.wait()) for turn in turns if not turn.released.is_set()]
    if not waiting:
        return
    when = asyncio.ALL_COMPLETED if all_of_them else asyncio.FIRST_COMPLETED
    _, late = await asyncio.wait(waiting, timeout=max(0.0, until - steady()), return_when=when)
    for task in late:
        task.cancel()
