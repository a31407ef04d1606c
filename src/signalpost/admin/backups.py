"""The record of backups: what `signalpost backup` noted, how old the newest one is, and whether that is too old.

The file of a backup may be lost, and a copy by other tools is not noted: a record says that a backup was made.
"""

from datetime import datetime
from typing import Final, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.admin.schemas import AdminBackup
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.web.paging import Page, keyset

KEPT: Final = 50
"""So many of the newest are kept of those that succeeded, and so many of the others."""
DAY_SECONDS: Final = 86_400.0
Status = Literal["unfinished", "succeeded", "failed"]


class Backup(Struct, kw_only=True):
    """A row of the table. `unfinished`: it still runs, or its process was stopped."""

    id: UUID
    started_at: datetime
    ended_at: datetime | None = None
    status: Status = "unfinished"
    error: str | None = None
    host: str
    file_name: str
    version: str
    revision: str | None = None
    made_at: datetime | None = None
    """Of the snapshot; by the clock of the database."""
    bytes: int | None = None
    row_count: int | None = None
    files: int | None = None
    missing_files: int | None = None
    has_media: bool
    has_master_key: bool
    verified_at: datetime | None = None


class Age(NamedTuple):
    """How old the newest backup is, or how old the installation if there is none."""

    made_at: datetime | None
    seconds: float
    is_used: bool
    """Whether there is a user besides that of `signalpost demo`."""

    def is_too_old(self, warning_days: int) -> bool:
        """Whether to warn; never with 0 days."""
        return self.is_used and 0 < warning_days * DAY_SECONDS < self.seconds


_COLUMNS: Final = ", ".join(Backup.__struct_fields__)
_WRITE: Final = f"""
insert into backup ({_COLUMNS}) values ({", ".join(f"${n + 1}" for n in range(len(Backup.__struct_fields__)))})
on conflict (id) do update
set {", ".join(f"{name} = excluded.{name}" for name in Backup.__struct_fields__[2:])}
"""  # noqa: S608 - constants only
_PRUNE: Final = """
delete from backup where id = any(array(
    select id from (
        select id, row_number() over (
            partition by status = 'succeeded' order by coalesce(made_at, started_at) desc, id desc) as place
        from backup) ranked
    where place > $1))
"""
# What was noted when it was made stands: the file may have been changed since.
_VERIFIED: Final = """
update backup set verified_at = now(), status = 'succeeded', error = null,
    made_at = coalesce(made_at, least($2, now())), revision = coalesce(revision, $3), bytes = coalesce(bytes, $4),
    row_count = coalesce(row_count, $5), files = coalesce(files, $6), missing_files = coalesce(missing_files, $7)
where id = $1
returning true
"""
_FORGET: Final = "delete from backup"
_LIST: Final = f"select {_COLUMNS} from backup where {keyset('started_at', 'id', first=1)}"  # noqa: S608 - constants only
_AGE: Final = """
select newest.made_at,
    greatest(0, extract(epoch from now() - coalesce(newest.made_at, i.created_at)))::float8,
    exists (select from app_user where email not like 'demo-%@example.invalid')
from instance i cross join (select max(made_at) as made_at from backup where status = 'succeeded') newest
"""


async def write(db: Db, backup: Backup) -> None:
    """Write a record, or what is new in it; with the end of a backup, the oldest records go."""
    await db.execute(_WRITE, *msgspec.structs.astuple(backup))
    if backup.ended_at is not None:
        await db.execute(_PRUNE, KEPT)


async def note_verified(
    db: Db, backup_id: UUID, *, made_at: datetime, revision: str, size: int, rows: int, files: int, missing_files: int
) -> bool:
    """Note that a file was read from end to end and is whole; return whether there is a record of it.

    So it succeeded, even if its process was killed between the last byte and the record.
    """
    noted = await db.fetchval(_VERIFIED, backup_id, made_at, revision, size, rows, files, missing_files)
    return noted is not None


async def forget(db: Db) -> None:
    """Delete all records: a restored instance knows of no backup of its own."""
    await db.execute(_FORGET)


async def age(db: Db) -> Age | None:
    """Return how old the newest backup is; None before the first start of the service."""
    row = await db.fetchrow(_AGE)
    return None if row is None else Age(*row)


async def list_backups(context: AppContext, page: Page) -> Listing[AdminBackup]:
    """Return a page of the records, newest first."""
    async with context.database.connection() as db:
        records = await db.fetch(_LIST, *page.bounds)
    rows = [Backup(**dict(record)) for record in records]
    return page.of(rows, _view, position=lambda row: (row.started_at, row.id))


def _view(row: Backup) -> AdminBackup:
    return AdminBackup(
        id=ids.encode("bkp", row.id),
        status=row.status,
        started_at=clock.wire(row.started_at),
        ended_at=clock.wire_or_none(row.ended_at),
        made_at=clock.wire_or_none(row.made_at),
        verified_at=clock.wire_or_none(row.verified_at),
        file_name=row.file_name,
        host=row.host,
        bytes=row.bytes,
        rows=row.row_count,
        files=row.files,
        missing_files=row.missing_files,
        has_media=row.has_media,
        has_master_key=row.has_master_key,
        version=row.version,
        revision=row.revision,
        error=row.error,
    )
