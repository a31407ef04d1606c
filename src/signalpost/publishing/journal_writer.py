"""Group commit of journals: what waits to be written at the same moment goes in one statement and one commit.

No timer: while one commit is under way, the next writes gather. A write checks that the lane is still ours and, for an
intent, that the account still is as the session was opened for it; it never waits for a row that is locked. A write
whose rows are locked is repeated alone, waiting for its lane, so that it holds up no other.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from msgspec import Struct

from signalpost.engine.contract import Lease, LeaseLost
from signalpost.engine.position import MARK
from signalpost.kit.db import DATABASE_UNREACHABLE, Database, Db, Row
from signalpost.kit.problems import Unavailable

BATCH_MAX: Final = 256
BUSY_SECONDS: Final = 0.05
"""After this long a write is repeated whose account another transaction has locked."""
_DISCONNECTED: Final = (*DATABASE_UNREACHABLE, asyncpg.InternalClientError)

# The locks return rows as they are now, not as of the statement's start: whoever disconnects the account either
# committed before, and is seen, or has it locked, and is waited for by the repetition.
_WRITE = f"""
with w as materialized (
    select * from jsonb_to_recordset($1) as w(
        key uuid, owner uuid, fence bigint, target_id uuid, steps jsonb, intent text, closes_intent bool,
        secrets_version int)
), held as materialized (
    select l.key from lane l join w on l.key = w.key and l.owner = w.owner and l.fence = w.fence
    where l.kind = 'target' for no key update of l skip locked
), usable as materialized (
    select a.id, a.status, a.secrets_version from account a join w on a.id = w.key
    where w.intent is not null for key share of a skip locked
), written as (
    update target t set steps = t.steps || w.steps, updated_at = now(), intent = case
        when w.intent is not null
            then jsonb_build_object('step', w.intent, 'value', w.steps -> w.intent, 'at', now())
        when not w.closes_intent then t.intent end
    from w join held h on h.key = w.key left join usable u on u.id = w.key
    where t.id = w.target_id
        and (w.intent is null or (u.status <> 'disconnected' and u.secrets_version = w.secrets_version))
    returning t.id
)
select w.target_id, now(), t.id is not null, h.key is not null, u.status, u.secrets_version, exists (
    select from lane l where l.kind = 'target' and l.key = w.key and l.owner = w.owner and l.fence = w.fence),
    case when t.id is not null then {MARK} end as mark
from w left join written t on t.id = w.target_id left join held h on h.key = w.key left join usable u on u.id = w.key
"""  # noqa: S608 - a constant


class AccountDisconnected(Exception):
    """The account was disconnected since the attempt began: nothing more may be made public on it."""


class SecretsReplaced(Exception):
    """The account's secrets are not those that the session was opened with: open another one."""


class JournalWrite(Struct, frozen=True):
    """What one journal writes: `steps` to merge; `intent`: the step among them that is intended."""

    lease: Lease
    target_id: UUID
    steps: dict[str, Any]
    intent: str | None = None
    closes_intent: bool = False
    secrets_version: int | None = None


class _Row(Struct):
    key: UUID
    owner: UUID
    fence: int
    target_id: UUID
    steps: dict[str, Any]
    intent: str | None
    closes_intent: bool
    secrets_version: int | None


class JournalWriter:
    """Writes the journals of this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[JournalWrite, asyncio.Future[datetime | None]]] = []
        self._flushing: asyncio.Task[None] | None = None

    async def write(self, write: JournalWrite) -> datetime:
        """Commit what a journal writes, together with others; return the database's time.

        Raises:
            LeaseLost: the lane is no longer ours.
            AccountDisconnected, SecretsReplaced: an intent that may not be carried out; nothing was written.
            Unavailable: the database cannot be reached.
        """
        written: asyncio.Future[datetime | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, written))
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush(), name="publishing.journal")
        at = await written
        while at is None:
            async with write.lease.transaction() as db:
                at = _result(write, (await _execute(db, [write]))[write.target_id])
            if at is None:
                await asyncio.sleep(BUSY_SECONDS)
        return at

    async def _flush(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH_MAX], self._waiting[BATCH_MAX:]
                await self._flush_batch(batch)
        finally:
            self._flushing = None

    async def _commit(self, writes: Sequence[JournalWrite]) -> dict[UUID, Row]:
        position = writes[0].lease.position
        before = position.began()
        async with self._database.connection() as db:
            rows = await _execute(db, writes)
        if mark := max(filter(None, (row["mark"] for row in rows.values())), default=None):
            position.committed(before, mark)
        return rows

    async def _flush_batch(self, batch: Sequence[tuple[JournalWrite, asyncio.Future[datetime | None]]]) -> None:
        try:
            rows = await self._commit([write for write, _ in batch])
        except Exception as error:  # noqa: BLE001 - it is raised where the write waits
            if len(batch) > 1 and not isinstance(error, (*_DISCONNECTED, Unavailable)):
                for single in batch:
                    await self._flush_batch([single])
                return
            if isinstance(error, (*_DISCONNECTED, asyncpg.LockNotAvailableError)):
                error = Unavailable("The database connection was lost.")
            for _, written in batch:
                if not written.done():
                    written.set_exception(error)
            return
        for write, written in batch:
            if written.done():
                continue  # its attempt was cancelled
            try:
                written.set_result(_result(write, rows[write.target_id]))
            except Exception as error:  # noqa: BLE001 - it is raised where the write waits
                written.set_exception(error)


async def _execute(db: Db, writes: Sequence[JournalWrite]) -> dict[UUID, Row]:
    rows = [
        _Row(
            write.lease.key, write.lease.owner, write.lease.fence, write.target_id, write.steps, write.intent,
            write.closes_intent, write.secrets_version,
        )
        for write in writes
    ]  # fmt: skip
    return {row[0]: row for row in await db.fetch(_WRITE, rows)}


def _result(write: JournalWrite, row: Row) -> datetime | None:
    """Return when it was written; None: another transaction has a row of it locked. Raises what `write` raises."""
    at: datetime
    _, at, written, held, account_status, secrets_version, ours, _ = row
    if written:
        return at
    if ours and not (held and (write.intent is None or account_status is not None)):
        return None
    if ours and account_status == "disconnected":
        raise AccountDisconnected
    if ours and secrets_version != write.secrets_version:
        raise SecretsReplaced
    raise LeaseLost  # or the target was deleted
