"""A lease that counts what each of its transactions does: rows read, and rows written, by table."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple
from uuid import UUID, uuid4

from signalpost.kit.db import Database, Db

_COUNTS = """
select relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0), n_tup_ins + n_tup_upd + n_tup_del
from pg_stat_xact_user_tables where schemaname <> 'pg_toast'
"""


class Counts(NamedTuple):
    """Rows that a transaction has read and written, by table."""

    read: dict[str, int]
    written: dict[str, int]

    @property
    def rows(self) -> int:
        """All of them together."""
        return sum(self.read.values()) + sum(self.written.values())


class CountedLease:
    """The lease of a job that the test runs by itself."""

    kind = "job"
    key = UUID(int=1)
    workspace_id: UUID | None = None
    tenant_id: UUID | None = None
    platform: str | None = None
    fence = 1

    def __init__(self, database: Database) -> None:
        self._database = database
        self.owner = uuid4()
        self.transactions: list[Counts] = []
        """Of each that was committed, in order."""

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        """Open a transaction whose rows are counted; what is not reported yet of those before is taken off."""
        async with self._database.transaction() as db:
            before = await _counts(db)
            yield db
            after = await _counts(db)
        read = {name: count - before.read.get(name, 0) for name, count in after.read.items()}
        written = {name: count - before.written.get(name, 0) for name, count in after.written.items()}
        self.transactions.append(Counts(read, written))

    def ensure_fresh(self) -> None:
        """It always is."""

    def count(self, outcome: str) -> None:
        """Outcomes are not looked at."""


async def _counts(db: Db) -> Counts:
    rows = await db.fetch(_COUNTS)
    return Counts({row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows})
