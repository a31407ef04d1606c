"""All streams of this process: one statement at a time reads what changed, for all of them together.

What listens costs the writers nothing: nobody notifies. The statement runs twice a second while anyone listens.

An entry can be seen when its transaction is committed, however long that takes. So each reading begins where the oldest
transaction began that was under way at the reading before: see decision 0304.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Sequence
from contextvars import Context
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import asyncpg

from signalpost.kit import clock, ids, log
from signalpost.kit.db import DATABASE_UNREACHABLE, RETRYABLE, Database
from signalpost.kit.problems import RateLimited, Unavailable
from signalpost.stream import queries
from signalpost.stream.queries import Change

POLL_SECONDS: Final = 0.5
OVERLAP: Final = timedelta(seconds=10)
"""How much older than its transaction an entry may be: its id is made before a connection is free."""
LONGEST: Final = timedelta(minutes=1)
"""Transactions of up to this length are followed; after longer ones, clients are asked to read again."""
BURST: Final = 200
"""Changes of a workspace at a time; more of them, and clients are asked to read again."""
WAITING_MAX: Final = 1_000
"""Changes that wait for a client that does not read; one more ends its stream."""
TENANT_MAX: Final = 50
PROCESS_MAX: Final = 1_000
_FAILURES: Final = (
    Unavailable, TimeoutError, asyncpg.QueryCanceledError, *DATABASE_UNREACHABLE, *RETRYABLE
)  # fmt: skip
_logger = log.get("stream")


class Listener:
    """A client that listens to a workspace. `waiting`: what it has yet to receive; None: it has to read again."""

    def __init__(self, workspace_id: UUID, tenant: Hashable) -> None:
        self.workspace_id = workspace_id
        self.tenant = tenant
        self.waiting: list[Change | None] = []
        self.reported: frozenset[UUID] = frozenset()
        """What it had received when it began to listen, until the next reading."""
        self.wake = asyncio.Event()
        self.ended = False

    def receive(self, change: Change | None) -> None:
        """Have the client receive a change."""
        if change is not None and change.id in self.reported:
            return
        if len(self.waiting) >= WAITING_MAX:
            self.end()
            return
        self.waiting.append(change)
        self.wake.set()

    def end(self) -> None:
        """Have the stream end."""
        self.ended = True
        self.wake.set()


class Hub:
    """The streams of one process: `context.state(Hub)`."""

    def __init__(self) -> None:
        self._listeners: defaultdict[UUID, set[Listener]] = defaultdict(set)
        self._count = 0
        self._of_tenant: defaultdict[Hashable, dict[Listener, None]] = defaultdict(dict)  # the oldest first
        self._seen: dict[UUID, UUID] = {}
        """Changes that were passed on and are read again, each with its workspace."""
        self._joined: list[tuple[Listener, datetime]] = []
        """Who began to listen since the last reading, with the horizon of what it received as missed."""
        self._horizon = clock.actual()
        """What was written before could be seen at the last reading."""
        self._blind_since: datetime | None = None
        """Since when a transaction is under way that is longer than those that are followed."""
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def require_room(self, tenant: Hashable) -> None:
        """Ensure that one more client may listen.

        Raises:
            RateLimited: the tenant has 50 streams, or all places are taken and nobody has two more than this tenant.
        """
        mine = len(self._of_tenant.get(tenant, ()))
        if mine >= TENANT_MAX or (self._count >= PROCESS_MAX and len(self._of_tenant[self._greatest()]) < mine + 2):
            raise RateLimited(f"There are {mine} streams open already.", headers={"Retry-After": "30"})

    def _greatest(self) -> Hashable:
        """Return the tenant with the most streams."""
        return max(self._of_tenant, key=lambda tenant: len(self._of_tenant[tenant]))

    def join(self, database: Database, workspace_id: UUID, tenant: Hashable) -> Listener:
        """Return a new listener; it has to leave. Raises as `require_room` does: others may have joined since.

        While all places are taken, it takes the place of the oldest stream of the tenant with the most.
        """
        self.require_room(tenant)
        if self._count >= PROCESS_MAX:
            oldest = next(iter(self._of_tenant[self._greatest()]))
            oldest.end()
            self.leave(oldest)
        listener = Listener(workspace_id, tenant)
        self._listeners[workspace_id].add(listener)
        self._count += 1
        self._of_tenant[tenant][listener] = None
        listener.ended = self._over
        if self._task is None or self._task.done():
            self._horizon = clock.actual()
            # Not the work of the request that happens to be the first.
            self._task = asyncio.get_running_loop().create_task(self._run(database), context=Context())
        return listener

    def begin(self, listener: Listener, reported: frozenset[UUID], horizon: datetime) -> None:
        """Pass on to a listener what could not be seen at this horizon, and so was not among what it missed."""
        listener.reported = reported
        self._joined.append((listener, horizon))

    def leave(self, listener: Listener) -> None:
        """Forget a listener, unless that was done already."""
        if listener not in self._of_tenant.get(listener.tenant, ()):
            return
        self._listeners[listener.workspace_id].discard(listener)
        if not self._listeners[listener.workspace_id]:
            del self._listeners[listener.workspace_id]
        self._count -= 1
        del self._of_tenant[listener.tenant][listener]
        if not self._of_tenant[listener.tenant]:
            del self._of_tenant[listener.tenant]

    async def end(self) -> None:
        """End all streams, so that nothing waits for them at shutdown."""
        self._over = True
        self._end_all()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _end_all(self) -> None:
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.end()

    async def _run(self, database: Database) -> None:
        try:
            await self._read(database)
        except Exception:  # a fault of ours: nobody listens in vain, for clients whose stream ends come back
            _logger.exception("stream.broken", streams=self._count)
            self._end_all()

    async def _read(self, database: Database) -> None:
        is_failing = False
        while self._listeners:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._read_once(database)
            except _FAILURES as error:
                if not is_failing:
                    _logger.warning("stream.not_read", error=str(error) or repr(error))
                is_failing = True
                continue
            is_failing = False

    async def _read_once(self, database: Database) -> None:
        joined = self._joined[:]
        since = ids.first_at(min([self._horizon, *(horizon for _, horizon in joined)]) - OVERLAP)
        self._seen = {change_id: workspace_id for change_id, workspace_id in self._seen.items() if change_id > since}
        repeated = self._seen | {
            change_id: listener.workspace_id for listener, _ in joined for change_id in listener.reported
        }
        counts = Counter(repeated.values())
        async with database.reserve.connection() as db:
            horizon = await queries.horizon(db)  # before the reading: what is committed in between is read again
            limits = {workspace_id: counts[workspace_id] + BURST for workspace_id in self._listeners}
            changes = await queries.newest(db, limits, since)
        is_blind_no_more = self._move(horizon)
        self._pass_all_on([change for change in changes if change.id not in self._seen], repeated)
        self._seen |= {change.id: change.workspace_id for change in changes}
        for listener, _ in joined:
            listener.reported = frozenset()  # all of it is among what was seen by now
        del self._joined[: len(joined)]
        if is_blind_no_more:
            for workspace_id in self._listeners:
                self._pass_on(workspace_id, None)

    def _move(self, horizon: datetime) -> bool:
        """Begin the next reading at this horizon, or later if that is too far away. True: what was skipped is over."""
        now = clock.actual()
        self._horizon = max(horizon, now - LONGEST)
        was_blind_since = self._blind_since
        if self._horizon == horizon:
            self._blind_since = None
            return was_blind_since is not None
        if was_blind_since is None or now - was_blind_since > LONGEST:
            self._blind_since = now
        return was_blind_since is not None and self._blind_since == now

    def _pass_all_on(self, new: Sequence[Change], repeated: Container[UUID]) -> None:
        counts = Counter(change.workspace_id for change in new if change.id not in repeated)
        for change in new:
            if counts[change.workspace_id] < BURST:
                self._pass_on(change.workspace_id, change)
        for workspace_id, count in counts.items():
            if count >= BURST:
                self._pass_on(workspace_id, None)

    def _pass_on(self, workspace_id: UUID, change: Change | None) -> None:
        for listener in self._listeners.get(workspace_id, ()):
            listener.receive(change)
