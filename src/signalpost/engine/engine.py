"""The engine of one process: a runner per source, one registration. `run` loops; `tick` does a bounded part of it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from signalpost.engine import hold
from signalpost.engine.clock import ClockGuard, boottime
from signalpost.engine.contract import EngineStatus, Source, SourceBacklog, TickReport
from signalpost.engine.failover import AfterFailover, Failover
from signalpost.engine.lease import LaneLease
from signalpost.engine.position import Position
from signalpost.engine.registration import WorkerRegistration
from signalpost.engine.runner import Runner
from signalpost.kit import log
from signalpost.kit.db import Database

_log = log.get("engine")

OVERDUE_SECONDS = 60.0
_LOOP_FRESH_SECONDS = 15.0
_CANCELLED_SECONDS_MAX = 5.0
_DRAINS_MAX = 4

_WORKERS = """
select count(*) filter (where seen_at > now() - interval '15 s') as workers, max(looped_at) as looped_at,
    coalesce(max(looped_at) > now() - interval '15 s', false) as running, min(clock_problem) as clock_problem,
    (select backup_made_at from engine_hold) as held_since_backup_of
from worker
"""


class Engine:
    """Hands out the work of `sources` while `run` runs or `tick` is called.

    Works with the connections that `database` has in reserve, and with one more (session lock, LISTEN: not through a
    transaction-mode pooler).
    """

    def __init__(
        self,
        database: Database,
        sources: Sequence[Source[Any, Any]],
        *,
        tenant_sql: Callable[[str], str] = str,
        after_failover: AfterFailover | None = None,
        position_folder: Path | None = None,
    ) -> None:
        """Take what to run; nothing runs yet.

        Args:
            database: where lanes and items are.
            sources: what to run.
            tenant_sql: turns SQL of a workspace's id into SQL of its tenant's; left out, each workspace is a tenant.
            after_failover: is called when another server answers that may lack the last commits.
            position_folder: where the last commits are remembered for a later process; left out, they are not.
        """
        self.clock = ClockGuard()
        self._database = database = database.reserve
        self._position, self._position_folder = Position(), position_folder
        self._registration = WorkerRegistration(
            database, self.clock, leases=self._leases, claims_run=self._loops_are_fresh, on_wake=self._wake,
            on_hint=self._hint, position=self._position, on_connect=self._look_at_server,
        )  # fmt: skip
        self._failover = Failover(after_failover, self._position, lambda: self._registration.owner)
        self._runners = {
            source.kind: Runner(
                source, database, self._registration, self.clock, tenant_sql, self._failover, self._position
            )
            for source in sources
        }
        self._opening = asyncio.Lock()
        self._draining = asyncio.Semaphore(_DRAINS_MAX)
        self._releasing: list[asyncio.Task[None]] = []
        self._opened = self._stopping = False

    async def run(self) -> None:
        """Work until `stop`. Waits for the database if it is down; raises nothing but CancelledError."""
        failures = 0
        while not self._stopping:
            for runner in self._runners.values():
                runner.looped_at = boottime()  # so that the first heartbeat already counts
            try:
                await self._open()
                break
            except Exception as error:  # noqa: BLE001 - not up yet; readiness reports it
                failures += 1
                _log.warning("engine.waits_for_database", failures=failures, error=repr(error))
                await asyncio.sleep(min(2.0, 0.1 * 2 ** min(failures, 5)))
        await asyncio.gather(*(runner.loop() for runner in self._runners.values()))

    async def stop(self, grace_seconds: float = 25.0) -> None:
        """Stop claiming, let running items end, cancel them after the grace, release all lanes. Never fails."""
        self._stopping = True
        await asyncio.gather(*(runner.quiesce() for runner in self._runners.values()))
        await _wait_for_release(self._leases(), boottime() + grace_seconds, wait_for_all=True)
        for lease in self._leases():
            lease.cancel()
        await _wait_for_release(self._leases(), boottime() + _CANCELLED_SECONDS_MAX, wait_for_all=True)
        if unreleased := self._leases():
            _log.warning("engine.leases_not_released", lanes=len(unreleased))
        async with self._opening:  # if it is still connecting, it registers first and unregisters then
            for task in self._releasing:
                task.cancel()
            await asyncio.gather(*self._releasing, return_exceptions=True)
            await self._registration.close()
            self._position.close()

    async def tick(self, limit: int = 50, budget_seconds: float = 20.0) -> TickReport:
        """Run up to `limit` due items of each source, and wait until they have ended, at most for the budget.

        Safe at any concurrency, in any number of processes, beside `run` or without it. Items that have not ended
        within the budget go on in the background.

        Raises:
            what the database raises when it is down.
        """
        started = boottime()
        await self._open()
        by_kind = await self._drain(limit, started + budget_seconds)
        backlogs = await self._backlogs(older_than_seconds=0)
        return TickReport(
            claimed={kind: sum(lease.claimed for lease in leases) for kind, leases in by_kind.items()},
            outcomes={
                kind: dict(sum((lease.outcomes for lease in leases), Counter())) for kind, leases in by_kind.items()
            },
            remaining=sum(backlog.overdue for backlog in backlogs.values()),
            oldest_due_age_seconds=max((b.oldest_due_age_seconds for b in backlogs.values()), default=0.0),
            duration_seconds=boottime() - started,
        )

    async def _drain(self, limit: int, until: float) -> dict[str, list[LaneLease]]:
        """Run due items of all sources; return the leases. Waits while many do it already: each would look in vain."""
        try:
            async with asyncio.timeout(until - boottime()):
                await self._draining.acquire()
        except TimeoutError:
            return {kind: [] for kind in self._runners}
        try:
            drained = await asyncio.gather(*(_drain(runner, limit, until) for runner in self._runners.values()))
        finally:
            self._draining.release()
        return dict(zip(self._runners, drained, strict=True))

    async def status(self) -> EngineStatus:
        """Report on all workers and lanes of the database; needs neither `run` nor `tick` in this process.

        Raises:
            what the database raises when it is down.
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
            clock_problem=self.clock.problem or workers["clock_problem"],
            hold=None if (made_at := workers["held_since_backup_of"]) is None else hold.sentence(made_at),
        )

    async def _open(self) -> None:
        async with self._opening:
            if not self._opened and not self._stopping:
                self._position.open(self._position_folder)
                await self._registration.open()
                self._opened = True
                self._releasing = [asyncio.create_task(runner.releaser.loop()) for runner in self._runners.values()]

    async def _look_at_server(self) -> None:
        """Say what this process knows to be missing before others take it for dead, though nothing is due."""
        async with self._database.transaction() as db:
            await self._failover.may_claim(db)
        self._failover.committed(db)

    async def _backlogs(self, *, older_than_seconds: float) -> dict[str, SourceBacklog]:
        backlogs = {}
        async with self._database.connection() as db:
            for kind, runner in self._runners.items():
                row = await runner.statements.backlog(db, older_than_seconds)
                backlogs[kind] = SourceBacklog(row["ready_lanes"], row["items"], row["oldest"])
        return backlogs

    def _leases(self) -> list[LaneLease]:
        return [lease for runner in self._runners.values() for lease in runner.leases]

    def _loops_are_fresh(self) -> bool:
        oldest = min((runner.looped_at for runner in self._runners.values()), default=float("-inf"))
        return boottime() - oldest < _LOOP_FRESH_SECONDS

    def _hint(self, payload: str) -> None:
        if (runner := self._runners.get(payload.removesuffix("?"))) is not None:
            if payload.endswith("?"):
                runner.look_soon()
            else:
                runner.wake(is_only_one=True)

    def _wake(self, kind: str | None) -> None:
        for runner in self._runners.values() if kind is None else filter(None, [self._runners.get(kind)]):
            runner.wake()


async def _drain(runner: Runner, limit: int, until: float) -> list[LaneLease]:
    """Claim until `limit` items were claimed, nothing is ready or the time is up; then wait until all are released."""
    leases: list[LaneLease] = []
    left = limit
    while left > 0 and boottime() < until:
        running = [
            lease for lease in leases if not lease.released.is_set()
        ]  # read before the claim, which may just miss one
        if claimed := await runner.claim(runner.source.lanes, items=left):
            leases += claimed
            left -= sum(lease.claimed for lease in claimed)
        elif not running:
            break
        elif not any(lease.released.is_set() for lease in running):
            await _wait_for_release(running, until, wait_for_all=False)  # its lane may have more items
    await _wait_for_release(leases, until, wait_for_all=True)
    return leases


async def _wait_for_release(leases: Sequence[LaneLease], until: float, *, wait_for_all: bool) -> None:
    """Wait until one or all of `leases` are released, at most until that boottime."""
    waiting = [asyncio.create_task(lease.released.wait()) for lease in leases if not lease.released.is_set()]
    if not waiting:
        return
    when = asyncio.ALL_COMPLETED if wait_for_all else asyncio.FIRST_COMPLETED
    _, late = await asyncio.wait(waiting, timeout=max(0.0, until - boottime()), return_when=when)
    for task in late:
        task.cancel()
