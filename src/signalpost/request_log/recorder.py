"""Takes note of API calls in memory, and writes many of them at a time: no request waits for it.

What a process that is killed has not written yet is lost: calls of about the last second. Each tenant has a share of
the memory and of what is stored, so that a flood of calls costs others nothing; the log says how many it leaves out.
"""

import asyncio
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from contextvars import Context
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

import asyncpg

from signalpost.kit import clock, ids, log
from signalpost.kit.db import DATABASE_UNREACHABLE, RETRYABLE, Database
from signalpost.kit.problems import Unavailable
from signalpost.web.served import Served

FLUSH_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 5.0
END_SECONDS: Final = 3.0
"""How long the last ones may take at shutdown."""
STEP: Final = 500
"""Rows of one statement: preparing them takes about three milliseconds."""
BURST: Final = 20_000
PER_SECOND: Final = 10.0
"""Of one tenant: so many at once, and so many in the long run: 6 million in a week."""
WAITING_MAX: Final = 5_000
ALL_WAITING_MAX: Final = 20_000
"""Calls of one tenant, and of all, that wait to be written."""
TENANTS_MAX: Final = 10_000
_UNLOGGED: Final = frozenset({"list_requests"})
_NOT_WRITTEN: Final = (
    Unavailable, TimeoutError, asyncpg.QueryCanceledError, *DATABASE_UNREACHABLE, *RETRYABLE
)  # fmt: skip

# Each value of an array costs half a microsecond: what calls of one caller have in common is sent once.
_INSERT: Final = """
insert into request_log (workspace_id, mode, user_id, key_id, at, id, operation, method, path, status, code,
    duration_ms, request_id, address, omitted)
select ($1::uuid[])[c], ($2::text[])[c], ($3::uuid[])[c], ($4::uuid[])[c], to_timestamp(at), id, operation, method,
    path, status, code, duration_ms, request_id, address, omitted
from unnest($5::smallint[], $6::float8[], $7::uuid[], $8::text[], $9::text[], $10::text[], $11::smallint[],
    $12::text[], $13::real[], $14::text[], $15::text[], $16::integer[]) as r(c, at, id, operation, method, path, status,
    code, duration_ms, request_id, address, omitted)
"""
_ROTATE: Final = "select rotate_request_log()"
_logger = log.get("request_log")


class _Share:
    """What one tenant has of the log. A class with slots, since every request of the tenant comes here."""

    __slots__ = ("at", "count", "left", "omitted", "waiting")

    def __init__(self, now: float) -> None:
        self.left = float(BURST)
        self.at = now
        self.waiting: list[tuple[Served, int]] = []
        self.count = 0  # of those that are not written yet, `waiting` or about to be written
        self.omitted: Counter[UUID] = Counter()

    def take(self, now: float) -> bool:
        """Whether one more call may be stored now."""
        self.left = min(float(BURST), self.left + (now - self.at) * PER_SECOND)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Recorder:
    """The calls of this process that are not written yet: `context.state(Recorder)`."""

    def __init__(self) -> None:
        self._shares: dict[Hashable, _Share] = {}
        self._waiting = 0
        self._unwritten: list[tuple[Served, int]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._database: Database | None = None
        self._lock = asyncio.Lock()
        self._failing = False

    def add(self, database: Database, served: Served) -> None:
        """Take note of a call; it is written within a second or so."""
        caller = served.caller
        if served.operation in _UNLOGGED:
            return
        now = clock.monotonic()
        share = self._shares.get(caller.tenant.id)
        if share is None:
            share = self._shares[caller.tenant.id] = _Share(now)
        if not self._has_room(share) or not share.take(now):
            share.omitted[caller.workspace_id] += 1
            return
        share.waiting.append((served, share.omitted.pop(caller.workspace_id, 0) if share.omitted else 0))
        share.count += 1
        self._waiting += 1
        if self._timer is None:
            self._database = database
            self._schedule(FLUSH_SECONDS)

    def _has_room(self, share: _Share) -> bool:
        """Whether a tenant may have one more waiting: when there are many of all, only who has less than most."""
        mine = share.count
        if mine >= WAITING_MAX or self._waiting >= 2 * ALL_WAITING_MAX:
            return False
        return self._waiting < ALL_WAITING_MAX or mine < ALL_WAITING_MAX // len(self._shares)

    def _schedule(self, seconds: float) -> None:
        # An empty context: what is written is not the work of the request that happens to be the first.
        self._timer = asyncio.get_running_loop().call_later(seconds, self._start, context=Context())

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        try:
            await self.flush()
        except _NOT_WRITTEN as error:
            if not self._failing:  # it is logged once, when it begins
                _logger.warning("request_log.not_written", waiting=self._waiting, error=str(error) or repr(error))
            self._failing = True
            self._schedule(RETRY_SECONDS)
            return
        except Exception:  # a fault of ours: the log goes on without the rows that meet it
            part = self._unwritten[:STEP]
            self._forget(part)
            _logger.exception("request_log.dropped", count=len(part))
        self._failing, self._timer = False, None
        if self._waiting:
            self._schedule(FLUSH_SECONDS)

    async def flush(self) -> None:
        """Write all that wait.

        Raises:
            Unavailable: the database is; they wait on. So do they after an error of the database.
        """
        async with self._lock:
            for share in self._shares.values():
                self._unwritten += share.waiting
                share.waiting = []
            if len(self._shares) > TENANTS_MAX:  # those without calls begin with a full share again
                self._shares = {tenant: share for tenant, share in self._shares.items() if share.count}
            while self._unwritten and self._database is not None:
                part = self._unwritten[:STEP]
                await _insert(self._database, part)
                self._forget(part)

    def _forget(self, part: Sequence[tuple[Served, int]]) -> None:
        """Make room of the first ones: they are written, or never will be."""
        del self._unwritten[: len(part)]
        self._waiting -= len(part)
        for served, _ in part:
            self._shares[served.caller.tenant.id].count -= 1

    async def end(self) -> None:
        """Write what is left, before the database is closed."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=END_SECONDS)
        try:
            async with asyncio.timeout(END_SECONDS):
                await self.flush()
        except _NOT_WRITTEN as error:
            _logger.warning("request_log.lost", count=self._waiting, error=str(error) or repr(error))
        if self._timer is not None:
            self._timer.cancel()


async def _insert(database: Database, calls: Sequence[tuple[Served, int]]) -> None:
    callers: dict[tuple[Any, ...], int] = {}
    rows = []
    for served, omitted in calls:
        caller = served.caller
        whose = caller.workspace_id, caller.mode, caller.user_id, caller.key_id
        rows.append(_row(callers.setdefault(whose, len(callers) + 1), served, omitted))
    columns = [*zip(*callers, strict=True), *zip(*rows, strict=True)]
    async with database.reserve.connection() as db:
        try:
            await db.execute(_INSERT, *columns)
        except asyncpg.CheckViolationError:  # the first ones of a day that has no partition yet
            await db.execute(_ROTATE)
            await db.execute(_INSERT, *columns)


def _row(caller: int, served: Served, omitted: int) -> Iterable[Any]:
    return (
        caller, served.at, ids.new_id(), served.operation, served.method[:20],
        _clean(served.path.removeprefix("/api").removeprefix("/v1")), served.status, served.code,
        served.seconds * 1_000, served.request_id, _clean(served.address)[:64], min(omitted, 2**31 - 1),
    )  # fmt: skip


def _clean(text: str) -> str:
    """Return a text that the database can store; what no address has is percent-encoded."""
    return text if text.isascii() and text.isprintable() else quote(text, safe="/:%", errors="replace")
