"""Whether the database accepts changes. A full disk or a standby answers every read, so reads alone look healthy."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import asyncpg

from signalpost.kit import clock, log

PROBE_SECONDS = 5.0
_PROBE = "create temporary table writes_probe on commit drop as select 1 as one"
_logger = log.get("database")


class Writes:
    """What the last refused change said, until a probe succeeds. One log line when it begins, one when it ends."""

    def __init__(self) -> None:
        self.problem: str | None = None
        """A sentence for operators; None: changes are accepted, as far as known."""
        self._probe_at = 0.0

    def failed(self, error: BaseException | None) -> None:
        """Note an error of the database, if it means that no change is accepted."""
        match error:
            case asyncpg.DiskFullError():
                event, problem = "database.full", "The database accepts no changes: its disk is full."
            case asyncpg.ReadOnlySQLTransactionError():
                event, problem = "database.read_only", "The database accepts no changes: it is read-only."
            case _:
                return
        if self.problem is None:
            self._probe_at = clock.monotonic()
            _logger.error(event, error=str(error))
        self.problem = problem

    async def probe(self, transaction: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        """While changes are refused, try one that needs space on the disk and leaves nothing, every few seconds.

        Raises:
            Whatever else the database raises.
        """
        if self.problem is None or clock.monotonic() < self._probe_at:
            return
        self._probe_at = clock.monotonic() + PROBE_SECONDS
        try:
            async with transaction() as db:
                await db.execute(_PROBE)
        except (asyncpg.DiskFullError, asyncpg.ReadOnlySQLTransactionError) as error:
            self.failed(error)
        else:
            self.problem = None
            _logger.info("database.writable")
