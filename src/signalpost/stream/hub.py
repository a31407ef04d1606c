"""All streams of this process: one statement at a time reads what changed, for all of them together.

What listens costs the writers nothing: nobody notifies. The statement runs twice a second while anyone listens.
"""

import asyncio
from collections import defaultdict
from collections.abc import Hashable
from contextvars import Context
from datetime import timedelta
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
"""An entry is seen when its transaction is committed; those of longer ones are missed."""
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
        self.wake = asyncio.Event()
        self.ended = False

    def receive(self, change: Change | None) -> None:
        """Have the client receive a change."""
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
        self._of_tenant: defaultdict[Hashable, int] = defaultdict(int)
        self._seen: set[UUID] = set()
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def require_room(self, tenant: Hashable) -> None:
        """Ensure that one more client may listen.

        Raises:
            RateLimited: the tenant has 50 streams, or this process as many as it takes.
        """
        if self._of_tenant[tenant] >= TENANT_MAX or self._count >= PROCESS_MAX:
            raise RateLimited(
                f"There are {self._of_tenant[tenant]} streams open already.", headers={"Retry-After": "30"}
            )

    def join(self, database: Database, workspace_id: UUID, tenant: Hashable) -> Listener:
        """Return a new listener; it has to leave. Raises as `require_room` does: others may have joined since."""
        self.require_room(tenant)
        listener = Listener(workspace_id, tenant)
        self._listeners[workspace_id].add(listener)
        self._count += 1
        self._of_tenant[tenant] += 1
        listener.ended = self._over
        if self._task is None or self._task.done():
            # Not the work of the request that happens to be the first.
            self._task = asyncio.get_running_loop().create_task(self._run(database), context=Context())
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener."""
        self._listeners[listener.workspace_id].discard(listener)
        if not self._listeners[listener.workspace_id]:
            del self._listeners[listener.workspace_id]
        self._count -= 1
        self._of_tenant[listener.tenant] -= 1
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
        failing_since: float | None = None
        began = ids.first_at(clock.actual())
        while self._listeners:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._read_once(database, began)
            except _FAILURES as error:
                if failing_since is None:
                    failing_since = clock.monotonic()
                    _logger.warning("stream.not_read", error=str(error) or repr(error))
                continue
            if failing_since is not None and clock.monotonic() - failing_since > OVERLAP.total_seconds() / 2:
                for workspace_id in self._listeners:
                    self._pass_on(workspace_id, None)
            failing_since = None

    async def _read_once(self, database: Database, began: UUID) -> None:
        since = max(began, ids.first_at(clock.actual() - OVERLAP))
        async with database.reserve.connection() as db:
            changes = await queries.newest(db, self._listeners, since, BURST)
        new = [change for change in changes if change.id not in self._seen]
        self._seen = {change_id for change_id in self._seen if change_id > since} | {change.id for change in new}
        counts: defaultdict[UUID, int] = defaultdict(int)
        for change in new:
            counts[change.workspace_id] += 1
        for change in new:
            if counts[change.workspace_id] < BURST:
                self._pass_on(change.workspace_id, change)
        for workspace_id, count in counts.items():
            if count >= BURST:
                self._pass_on(workspace_id, None)

    def _pass_on(self, workspace_id: UUID, change: Change | None) -> None:
        for listener in self._listeners.get(workspace_id, ()):
            listener.receive(change)
