"""Making a workspace of an archive, in this instance or another; nothing is published by that.

The archive may come from anybody: its rows become rows of the new workspace whatever they say, they may refer to each
other only, and their files lie in its folder.
"""

import asyncio
import gzip
import re
import shutil
import zlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec
from msgspec import Struct

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.identity.actions import sign_up
from signalpost.kit import clock, ids, isolation
from signalpost.kit.archive import PIECE_BYTES, BadArchive
from signalpost.kit.db import Db
from signalpost.kit.errors import OperatorError
from signalpost.link_pages.actions import imported as link_pages
from signalpost.media.file_types import ALLOWED
from signalpost.media.receiver import temporary_folder
from signalpost.plans import actions as plans
from signalpost.posts.many.imported import hold_imported
from signalpost.webhooks import signing
from signalpost.workspaces import archive
from signalpost.workspaces.archive import MEDIA, Reader
from signalpost.workspaces.exported import EXPORTED, FILES
from signalpost.workspaces.new_ids import NewIds, Row

CLEAR_JOB: Final = "workspaces.clear_import"
_CLEARED: Final = 50
"""Files that are removed in a row: an import into the same folder waits for it."""
_BATCH: Final = 200
_BATCH_BYTES: Final = 8 * 1024 * 1024
_LINE_BYTES_MAX: Final = 16 * 1024 * 1024
_STATUS_REASON: Final = "Imported. Connect it again."

_EXISTS: Final = "select exists (select from workspace where id = $1)"
_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('import:' || $1::text, 0))"
_TRY_LOCK: Final = "select pg_try_advisory_xact_lock(hashtextextended('import:' || $1::text, 0))"
_TYPES: Final = """
select attname::text, format_type(atttypid, atttypmod) from pg_attribute
where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
"""
_INSERT: Final = """
insert into {table} ({columns}) select {columns} from jsonb_populate_recordset(null::{table}, $1)
"""
_UNLESS_TAKEN: Final = "on conflict do nothing"
# Rows of one workspace that refer to those of another: an archive with ids of others.
_REFERENCES: Final = {
    "profile_id": "profile", "parent_profile_id": "profile", "child_profile_id": "profile", "link_id": "profile_link",
    "account_id": "account", "parent_account_id": "account", "post_id": "post", "recurrence_parent_id": "post",
    "source_post_id": "post", "created_post_id": "post", "parent_id": "post", "target_id": "target",
    "watermark_media_id": "media", "avatar_media_id": "media",
}  # fmt: skip
_FOREIGN: Final = """
select exists (select from {table} t join {parent} p on p.id = t.{column}
    where t.workspace_id = $1 and p.workspace_id <> $1)
"""
# Jobs read the rows of many workspaces together, and Python knows neither infinity nor the years before Christ.
_TIMES: Final = {"timestamp with time zone", "timestamp without time zone", "date"}
_STRANGE: Final = """
select exists (select from {table} where workspace_id = $1 and not ({conditions}))
"""
_ORDINARY: Final = "coalesce({column} between '1900-01-01' and '9000-01-01', true)"


class Imported(Struct):
    """What came in."""

    workspace_id: UUID
    rows: int
    files: int
    ids_kept: bool


async def import_archive(context: AppContext, path: Path, *, user_id: UUID, name: str | None) -> Imported:
    """Make a workspace of an archive, owned by this user; ids stay if the workspace is not in this database already.

    Everything or nothing: rows come in one transaction, after the files, which are removed if it fails, and by a job if
    this process is killed.

    Raises:
        BadArchive: it is damaged, or refers to what is not in it.
        OperatorError: another version made it.
        StorageFailure: a file cannot be stored.
    """
    with archive.read(path) as reader:
        await asyncio.to_thread(reader.check)
        _require_same_schema(context, reader)
        old = ids.decode("wsp", reader.manifest.workspace.id)
        if old is None:
            raise BadArchive(f"{path} does not say of which workspace it is.")
        async with context.database.patient(isolation.ENGINE) as db, db.transaction():
            await db.execute(_LOCK, str(old))
            new_ids = NewIds.fresh() if await db.fetchval(_EXISTS, old) else NewIds.unchanged()
            importing = _Import(context, reader, db, new_ids, new_ids.of(old))
            payload = {"source": str(old), "workspace": str(new_ids.of(old))}
            async with context.database.transaction() as other:  # is there whatever becomes of this process
                await jobs.enqueue(other, CLEAR_JOB, payload, unique_key=f"{CLEAR_JOB}/{new_ids.of(old)}")
            try:
                return await importing.run(user_id, name)
            except BaseException as error:
                await context.storage.delete(importing.stored)
                if isinstance(error, asyncpg.IntegrityConstraintViolationError | asyncpg.DataError | ValueError):
                    raise BadArchive(f"{path} has rows that do not fit: {error}.") from error
                raise


async def clear_import(context: AppContext, lease: Lease, source: UUID, workspace_id: UUID) -> float | None:
    """Remove some files of an import that ended without a workspace; return after how many seconds to look again.

    Args:
        context: has the storage.
        lease: of the job.
        source: the workspace that was exported.
        workspace_id: the one that was to be made.

    Raises:
        StorageFailure: a file may still be there.
    """
    async with lease.transaction() as db:
        if not await db.fetchval(_TRY_LOCK, str(source)):  # it is under way, or another one of the same workspace
            return 60.0
        if await db.fetchval(_EXISTS, workspace_id):
            return None
        left: list[str] = []
        async for path in context.storage.paths(ids.encode("wsp", workspace_id)):
            left.append(path)
            if len(left) == _CLEARED:
                break
        await context.storage.delete(left)
    return 0.0 if left else None


def _require_same_schema(context: AppContext, reader: Reader) -> None:
    manifest = reader.manifest
    if manifest.revision != context.revision:
        raise OperatorError(
            f"The export was made by version {manifest.version} (schema {manifest.revision}), and this is"
            f" {context.version} (schema {context.revision}). Export it again from an instance of this version, or"
            " import it into one of that version and update that."
        )


class _Import:
    """One import under way."""

    def __init__(self, context: AppContext, reader: Reader, db: Db, new_ids: NewIds, workspace_id: UUID) -> None:
        self.stored: list[str] = []
        self._context, self._reader, self._db, self._ids = context, reader, db, new_ids
        self._workspace_id = workspace_id
        self._folder = ids.encode("wsp", workspace_id)
        self._unnamed: set[str] = set()
        """Files that no row has named yet."""
        self._sizes: dict[str, int] = {}

    async def run(self, user_id: UUID, name: str | None) -> Imported:
        context, db, workspace_id, entry = self._context, self._db, self._workspace_id, self._reader.manifest.workspace
        await self._store_files()
        await sign_up.write_workspace(
            db, workspace_id, user_id=user_id, name=(name or entry.name)[:100],
            timezone=entry.timezone if entry.zone_chosen else None, redirect_urls=entry.redirect_urls,
        )  # fmt: skip
        rows = 0
        for table in (table for table, exported in EXPORTED.items() if exported.stays is None):
            rows += await self._load(table)
        if self._unnamed:
            raise BadArchive(f"{self._reader.path} has a file that no row names: {min(self._unnamed)!r:.100}.")
        await hold_imported(db, workspace_id)
        await link_pages.hold_imported(db, workspace_id)
        await plans.fit(context, db, workspace_id, "free")
        await audit.command(db, "workspaces import", workspace_id=workspace_id, subject=entry.id)
        return Imported(workspace_id, rows, len(self.stored), self._ids.are_kept)

    async def _store_files(self) -> None:
        for member in self._reader.names(MEDIA):
            path = f"{self._folder}/{self._ids.in_text(member.removeprefix(MEDIA))}"
            async with temporary_folder(self._context.settings.data_dir) as folder:
                file = folder / "file"
                await asyncio.to_thread(self._copy, member, file)
                self.stored.append(path)
                self._unnamed.add(path)
                self._sizes[path] = self._reader.size(member)
                await self._context.storage.move(file, path)

    def _copy(self, member: str, file: Path) -> None:
        with file.open("xb") as target, self._reader.open(member) as source:
            shutil.copyfileobj(source, target, PIECE_BYTES)

    async def _load(self, table: str) -> int:
        """Write the rows of a table; return how many."""
        left_out = (*EXPORTED[table].without, *EXPORTED[table].more)
        types = {name: kind for name, kind in await self._db.fetch(_TYPES, table) if name not in left_out}
        count = 0
        async for rows in self._batches(table):
            if strange := {name for row in rows for name in row} - types.keys():
                raise BadArchive(f"{self._reader.path} has a column that {table} has not: {min(strange)!r:.80}.")
            own = [self._own(table, self._ids.row(table, row, types)) for row in rows]
            columns = ", ".join(f'"{name}"' for name in own[0])
            insert = _INSERT.format(table=table, columns=columns)
            await self._db.execute(insert + _UNLESS_TAKEN * EXPORTED[table].is_shared, own)
            count += len(rows)
        await self._require_ordinary_times(table, types)
        for column, parent in _REFERENCES.items():
            if column in types and await self._db.fetchval(
                _FOREIGN.format(table=table, parent=parent, column=column), self._workspace_id
            ):
                raise BadArchive(f"{self._reader.path} refers to rows of another workspace: {table}.{column}.")
        return count

    async def _require_ordinary_times(self, table: str, types: Mapping[str, str]) -> None:
        conditions = [_ORDINARY.format(column=f'"{name}"') for name, kind in types.items() if kind in _TIMES]
        statement = _STRANGE.format(table=table, conditions=" and ".join(conditions or ["true"]))
        if await self._db.fetchval(statement, self._workspace_id):
            raise BadArchive(f"{self._reader.path} has a time in {table} that no clock here shows.")

    async def _batches(self, table: str) -> AsyncIterator[list[Row]]:
        with self._reader.open(archive.member_of(table)) as packed, gzip.open(packed) as lines:
            while rows := await asyncio.to_thread(_some, lines):
                yield rows

    def _own(self, table: str, row: Row) -> Row:
        """Return a row as it is written here, whatever the archive says."""
        row["workspace_id"] = str(self._workspace_id)
        match table:
            case "account":
                row |= _ACCOUNT | ({} if row.get("status") == "disconnected" else _TO_CONNECT)
            case "media":
                self._require_own_files(row)
                if row.get("status") not in _AT_REST:
                    row |= {"status": "failed", "error": {"code": "cancelled", "message": _NOT_WHOLE}}
            case "webhook":
                secret = signing.seal(
                    self._context.keys, UUID(str(row.get("id"))), self._workspace_id, signing.new_secret()
                )
                row["secret"] = f"\\x{secret.hex()}"
                if row.get("deleted_at") is None:
                    row |= {"status": "paused", "stopped_at": clock.wire(clock.now())}
        return row

    def _require_own_files(self, row: Row) -> None:
        """Ensure that a file is of a type that can be uploaded, as large as it says, in the folder of the workspace."""
        if row.get("mime_type") not in ALLOWED:
            raise BadArchive(
                f"{self._reader.path} has media of a type that is not accepted: {_excerpt(row, 'mime_type')}."
            )
        size = row.get("size_bytes")
        stored = self._sizes.get(str(row.get("storage_path")), size)
        if type(size) is not int or not 0 <= size <= _SIZE_MAX or (row.get("status") == "ready" and size != stored):
            raise BadArchive(f"{self._reader.path} has media of another size: {_excerpt(row, 'size_bytes')}.")
        for name in FILES:
            path = row.get(name)
            folder, _, file = str(path).partition("/")
            if path is not None and not (folder == self._folder and _FILE.fullmatch(file)):
                raise BadArchive(f"{self._reader.path} has media of another workspace: {_excerpt(row, name)}.")
            self._unnamed.discard(path)


_SIZE_MAX: Final = 10**12
_FILE: Final = re.compile(r"[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*")
_AT_REST: Final = ("ready", "failed", "deleted")
_NOT_WHOLE: Final = "The workspace was exported before this file was complete. Upload it again."
_ACCOUNT: Final = {
    "renewing_by": None, "renewing_until": None, "token_expires_at": None, "upkeep_at": None,
    "noticed_status": "needs_reauth",  # no mail: who imports knows
}  # fmt: skip
_TO_CONNECT: Final = {"status": "needs_reauth", "status_reason": _STATUS_REASON}


def _excerpt(row: Row, name: str) -> str:
    return repr(str(row.get(name))[:100])


def _some(lines: gzip.GzipFile) -> list[Row]:
    """Return the next rows: fewer of large ones, since a small archive unpacks to as much as its author likes.

    Raises:
        BadArchive: there is something else.
    """
    rows: list[Row] = []
    size = 0
    while len(rows) < _BATCH and size < _BATCH_BYTES and (line := _line(lines)):
        size += len(line)
        if len(line) > _LINE_BYTES_MAX:
            raise BadArchive("A row of the export is longer than 16 MiB.")
        try:
            rows.append(msgspec.json.decode(line, type=dict[str, Any]))
        except (msgspec.MsgspecError, RecursionError) as error:
            raise BadArchive(f"A row of the export is damaged: {error}.") from None
    return rows


def _line(lines: gzip.GzipFile) -> bytes:
    try:
        return lines.readline(_LINE_BYTES_MAX + 1)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise BadArchive(f"A table of the export is damaged: {error}.") from None
