"""All streams of this process: one statement at a time reads what changed, for all of them together.

What listens costs the writers nothing: nobody notifies. The statement runs twice a second while anyone listens.

An entry can be seen when its transaction is committed, however long that takes. So each reading begins where the oldest
transaction began that was under way at the reading before: see decision 0304.

How many streams an owner may have holds for all processes: see `places`.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from contextvars import Context
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import asyncpg

from signalpost.kit import clock, ids, log
from signalpost.kit.db import DATABASE_UNREACHABLE, RETRYABLE, Database, Db
from signalpost.kit.problems import RateLimited, Unavailable
from signalpost.stream import places, queries
from signalpost.stream.places import Places
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
PROCESS_MAX: Final = 1_000
BEGIN_SECONDS: Final = 5.0
"""How soon a listener has to begin; one whose response is never sent, as to HEAD, keeps its place no longer."""
END_SECONDS: Final = 2.0
"""How long a process that stops tries to give its places back; after that they come free by themselves."""
_FAILURES: Final = (
    Unavailable, TimeoutError, asyncpg.QueryCanceledError, *DATABASE_UNREACHABLE, *RETRYABLE
)  # fmt: skip
_logger = log.get("stream")


class Listener:
    """A client that listens to a workspace. `waiting`: what it has yet to receive; None: it has to read again."""

    def __init__(self, workspace_id: UUID, owner_id: UUID) -> None:
        self.workspace_id = workspace_id
        self.owner_id = owner_id
        self.begins_until: float | None = clock.monotonic() + BEGIN_SECONDS
        """None: its response is being sent."""
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
    """The streams of one process: `context.state(Hub)`.

    Readings state how many there are, so they go on until one has stated that the last client has left.
    """

    def __init__(self) -> None:
        self._listeners: defaultdict[UUID, set[Listener]] = defaultdict(set)
        self._count = 0
        self._of_owner: defaultdict[UUID, dict[Listener, None]] = defaultdict(dict)  # the oldest first
        self._places = Places()
        self._database: Database | None = None
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

    async def join(self, database: Database, workspace_id: UUID, owner_id: UUID) -> Listener:
        """Return a new listener; it has to leave. One too many for this process ends the oldest of who has the most.

        Raises:
            RateLimited: the owner has 50 streams, or all places are taken and nobody has two more than this owner.
            Unavailable, TimeoutError: the database cannot be reached.
        """
        if self._over:  # the client comes back, to another process
            listener = Listener(workspace_id, owner_id)
            listener.end()
            return listener
        mine = len(self._of_owner.get(owner_id, ()))
        if mine >= places.TENANT_MAX or (self._count >= PROCESS_MAX and self._most() < mine + 2):
            raise _refusal(mine)
        listener = self._add(database, workspace_id, owner_id)
        try:
            fewer = await self._places.take(database, owner_id, lambda: len(self._of_owner.get(owner_id, ())))
        except BaseException:
            self.leave(listener)
            raise
        self._end_beyond(fewer)
        if listener not in self._of_owner.get(owner_id, ()):
            raise _refusal(places.TENANT_MAX)
        while self._count > PROCESS_MAX:
            oldest = next(iter(self._of_owner[self._greatest()]))
            oldest.end()
            self.leave(oldest)
        return listener

    def _most(self) -> int:
        """Return how many streams the owner with the most has."""
        return len(self._of_owner[self._greatest()])

    def _greatest(self) -> UUID:
        return max(self._of_owner, key=lambda owner_id: len(self._of_owner[owner_id]))

    def _add(self, database: Database, workspace_id: UUID, owner_id: UUID) -> Listener:
        listener = Listener(workspace_id, owner_id)
        self._listeners[workspace_id].add(listener)
        self._count += 1
        self._of_owner[owner_id][listener] = None
        self._database = database
        if self._task is None or self._task.done():
            self._horizon = clock.actual()
            # Not the work of the request that happens to be the first.
            self._task = asyncio.get_running_loop().create_task(self._run(database), context=Context())
        return listener

    def _end_beyond(self, fewer: Mapping[UUID, int]) -> None:
        """End the newest streams of these owners, until there are as few as that."""
        for owner_id, count in fewer.items():
            for listener in list(self._of_owner.get(owner_id, ()))[count:]:
                listener.end()
                self.leave(listener)

    def begin(self, listener: Listener, reported: frozenset[UUID], horizon: datetime) -> None:
        """Pass on to a listener what could not be seen at this horizon, and so was not among what it missed."""
        listener.reported = reported
        listener.waiting = [change for change in listener.waiting if change is None or change.id not in reported]
        self._joined.append((listener, horizon))

    def leave(self, listener: Listener) -> None:
        """Forget a listener, unless that was done already."""
        if listener not in self._of_owner.get(listener.owner_id, ()):
            return
        self._listeners[listener.workspace_id].discard(listener)
        if not self._listeners[listener.workspace_id]:
            del self._listeners[listener.workspace_id]
        self._count -= 1
        del self._of_owner[listener.owner_id][listener]
        if not self._of_owner[listener.owner_id]:
            del self._of_owner[listener.owner_id]

    async def end(self) -> None:
        """End all streams, so that nothing waits for them at shutdown."""
        self._over = True
        self._end_all()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._database is not None and not self._places.is_empty:
            with suppress(*_FAILURES):  # they come free by themselves
                async with asyncio.timeout(END_SECONDS), self._database.reserve.connection() as db:
                    await self._places.state(db, {})

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
        while self._listeners or not (is_failing or self._over or self._places.is_empty):
            await asyncio.sleep(POLL_SECONDS)
            self._leave_unsent()
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
            horizon = await self._look(db)  # before the reading: what is committed in between is read again
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

    async def _look(self, db: Db) -> datetime:
        """Return the horizon; state with it how many streams there are, and end those that are too many.

        They are when this process did not come to state it for a while, and others took their places.
        """
        streams = {owner_id: len(listeners) for owner_id, listeners in self._of_owner.items()}
        if not self._places.must_state(streams):
            return await queries.horizon(db)
        horizon, fewer = await self._places.state(db, streams)
        self._end_beyond(fewer)
        return horizon

    def _leave_unsent(self) -> None:
        now = clock.monotonic()
        for listener in [listener for listeners in self._of_owner.values() for listener in listeners]:
            if listener.begins_until is not None and listener.begins_until < now:
                listener.end()
                self.leave(listener)

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


def _refusal(streams: int) -> RateLimited:
    return RateLimited(f"There are {streams} streams open already.", headers={"Retry-After": "30"})
