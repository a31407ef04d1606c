"""Exporting a workspace: everything it has, as of one moment, in one file."""

import asyncio
import gzip
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.kit.archive import ArchiveWriter
from signalpost.kit.db import Db
from signalpost.kit.storage import Missing, Opened
from signalpost.workspaces.archive import FORMAT, NAME, Manifest, WorkspaceEntry, member_of, member_of_file
from signalpost.workspaces.exported import EXPORTED, FILES, NOT_EXPORTED, Exported

_PREFETCH: Final = 100
"""Rows in memory at once: one of them may have some hundred kilobytes."""
_SMALL_BYTES: Final = 1024 * 1024
_LEVEL: Final = 1

_WORKSPACE: Final = """
select id, name, slug, timezone, zone_chosen, redirect_urls, created_at, now() as made_at from workspace where id = $1
"""
_COLUMNS: Final = """
select array_agg(attname::text order by attnum) from pg_attribute
where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> all($2)
"""
_ROWS: Final = """
select to_json(r)::text from (select {members} from {table} t where t.workspace_id = $1 and {condition}) r
"""
_FILES: Final = f"select {', '.join(FILES)} from media where workspace_id = $1 and deleted_at is null"  # noqa: S608 - constants


async def write_archive(context: AppContext, workspace_id: UUID, path: Path) -> Manifest:
    """Write the archive of a workspace to `path`, which must not exist; return its manifest.

    The workspace goes on meanwhile; memory does not grow with it.

    Raises:
        NotFound: there is no such workspace.
        StorageFailure: its files cannot be read.
    """
    writer = await asyncio.to_thread(ArchiveWriter, path)
    try:
        async with (
            context.database.patient(workspace_id) as db,
            db.transaction(isolation="repeatable_read", readonly=True),
        ):
            manifest = await _manifest(context, db, workspace_id)
            for table, exported in EXPORTED.items():
                manifest.rows[table] = await _add_table(writer, db, workspace_id, table, exported)
            # Files that were added since the snapshot have no row in it; those deleted since are missing.
            async for row in db.cursor(_FILES, workspace_id, prefetch=_PREFETCH):
                for name in filter(None, row):
                    if not await _add_file(context, writer, name):
                        manifest.missing_files.append(member_of_file(name))
        await asyncio.to_thread(writer.finish, manifest)
    except BaseException:
        writer.abandon()
        raise
    return manifest


async def _manifest(context: AppContext, db: Db, workspace_id: UUID) -> Manifest:
    row = await db.fetchrow(_WORKSPACE, workspace_id)
    if row is None:
        raise problems.NotFound("This workspace does not exist any more.")
    return Manifest(
        kind=NAME, format=FORMAT, version=context.version, revision=context.revision, made_at=row["made_at"],
        left_out=dict(NOT_EXPORTED),
        workspace=WorkspaceEntry(
            id=ids.encode("wsp", row["id"]), name=row["name"], slug=row["slug"], timezone=row["timezone"],
            zone_chosen=row["zone_chosen"], redirect_urls=row["redirect_urls"], created_at=row["created_at"],
        ),
    )  # fmt: skip


async def _add_table(writer: ArchiveWriter, db: Db, workspace_id: UUID, table: str, exported: Exported) -> int:
    """Append the rows of a table; return how many there are."""
    columns = await db.fetchval(_COLUMNS, table, [*exported.without, *exported.more])
    members = [f't."{column}"' for column in columns]
    members += [f"{expression} as {name}" for name, expression in exported.more.items()]
    statement = _ROWS.format(members=", ".join(members), table=table, condition=exported.condition)
    count = 0
    with writer.spool() as spool:
        packed = gzip.GzipFile(fileobj=spool, mode="wb", compresslevel=_LEVEL, filename="", mtime=0)
        async for lines in _batches(db, statement, workspace_id):
            count += len(lines)
            await asyncio.to_thread(packed.write, "\n".join([*lines, ""]).encode())
        await asyncio.to_thread(packed.close)
        await asyncio.to_thread(_add_spooled, writer, member_of(table), spool)
    return count


async def _batches(db: Db, statement: str, workspace_id: UUID) -> AsyncIterator[list[str]]:
    cursor = await db.cursor(statement, workspace_id)
    while rows := await cursor.fetch(_PREFETCH):
        yield [row[0] for row in rows]


async def _add_file(context: AppContext, writer: ArchiveWriter, storage_path: str) -> bool:
    """Append a file; return whether it is there."""
    name = member_of_file(storage_path)
    try:
        opened: Opened = await context.storage.open(storage_path)
        if opened.size <= _SMALL_BYTES:
            content = b"".join([piece async for piece in opened.pieces])
            await asyncio.to_thread(writer.add, name, io.BytesIO(content), len(content))
            return True
        with writer.spool() as spool:
            async for piece in opened.pieces:
                await asyncio.to_thread(spool.write, piece)
            await asyncio.to_thread(_add_spooled, writer, name, spool)
    except Missing:
        return False
    return True


def _add_spooled(writer: ArchiveWriter, name: str, spool: IO[bytes]) -> None:
    size = spool.tell()
    spool.seek(0)
    writer.add(name, spool, size)
