"""Counts in memory, and writes what gathered in one statement every few seconds: no visitor waits for it.

What a process that is killed has not written yet is lost: the clicks of its last five seconds. Nothing of a visitor is
stored: there is a number for each link and day.
"""

import asyncio
from contextvars import Context
from datetime import date
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from signalpost.kit import log
from signalpost.kit.db import DATABASE_UNREACHABLE, RETRYABLE, Database
from signalpost.kit.problems import Unavailable

FLUSH_SECONDS: Final = 5.0
END_SECONDS: Final = 3.0
"""How long the last ones may take at shutdown."""
KEYS_MAX: Final = 50_000
"""Links and days that wait to be written: about 10 MB. Clicks on others are not counted until they are."""
STEP: Final = 1_000
_NOT_WRITTEN: Final = (
    Unavailable, TimeoutError, asyncpg.QueryCanceledError, *DATABASE_UNREACHABLE, *RETRYABLE
)  # fmt: skip
# In the order of the key, so that two processes that count for the same pages wait for each other, and not in a circle.
_ADD: Final = """
insert into link_page_count (workspace_id, profile_id, day, link, count)
select n.workspace_id, n.profile_id, n.day, n.link, n.count
from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::bigint[]) as n(workspace_id, profile_id, day, link,
    count)
join link_page l on l.profile_id = n.profile_id and l.workspace_id = n.workspace_id
order by n.profile_id, n.day, n.link
on conflict (profile_id, day, link) do update set
    count = least(link_page_count.count + excluded.count, 1000000000000000)
"""
_logger = log.get("link_pages")


class Counted(NamedTuple):
    """A link and a day; `link_id` "": the page itself."""

    workspace_id: UUID
    profile_id: UUID
    day: date
    link_id: str


class Counter:
    """What this process counted and has not written yet: `context.state(Counter)`."""

    def __init__(self) -> None:
        self._waiting: dict[Counted, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._database: Database | None = None
        self._lock = asyncio.Lock()

    def add(self, database: Database, counted: Counted) -> None:
        """Count one more; it is written within some seconds."""
        if counted not in self._waiting and len(self._waiting) >= KEYS_MAX:
            return
        self._waiting[counted] = self._waiting.get(counted, 0) + 1
        if self._timer is None:
            self._database = database
            self._schedule()

    def _schedule(self) -> None:
        # An empty context: what is written is not the work of the request that happens to be the first.
        self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self._start, context=Context())

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        try:
            await self.flush()
        except _NOT_WRITTEN as error:
            _logger.warning("link_pages.not_written", waiting=len(self._waiting), error=str(error) or repr(error))
        except Exception:  # a fault of ours: pages are shown all the same, and counting goes on without these
            self._waiting.clear()
            _logger.exception("link_pages.dropped")
        self._timer = None
        if self._waiting:
            self._schedule()

    async def flush(self) -> None:
        """Write all that wait. What cannot be written waits on.

        Raises:
            Unavailable: the database is. So does an error of the database that passes.
        """
        async with self._lock:
            while self._waiting and self._database is not None:
                part = dict(sorted(self._waiting.items())[:STEP])
                async with self._database.reserve.connection() as db:
                    await db.execute(_ADD, *zip(*part, strict=True), list(part.values()))
                for counted, written in part.items():
                    self._waiting[counted] -= written  # more may have come meanwhile
                    if not self._waiting[counted]:
                        del self._waiting[counted]

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
            _logger.warning("link_pages.lost", count=len(self._waiting), error=str(error) or repr(error))
        if self._timer is not None:
            self._timer.cancel()
