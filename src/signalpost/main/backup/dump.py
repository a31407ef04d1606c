"""Making a backup, of an instance that runs or stands still: one snapshot of the database, then the files it names."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID

import asyncpg
from msgspec import Struct

from signalpost.engine import hold
from signalpost.kit.archive import ArchiveWriter
from signalpost.kit.errors import OperatorError
from signalpost.kit.storage import Missing, Store
from signalpost.main.backup.archive import FORMAT, MASTER_KEY, MEDIA, TABLES, Manifest, TableEntry
from signalpost.migrations import runner
from signalpost.workspaces.actions.export import FOLDER as EXPORTS

VOLATILE: Final = frozenset(
    {
        "schema_migration", "worker", "engine_hold", "engine_timeline", "request_log", "request_bucket", "backup",
        "stream_process", "stream_place", "network_trouble",
    }
)  # fmt: skip
"""What a backup has no rows of: two are in its manifest, `worker` and streams name processes of this moment, the log of
requests is kept for days only, buckets of requests are full again after a restore as after a crash, no server of a
network is taken for broken then, and a restored instance would claim backups of another one."""
_GZIP: Final = 31  # zlib's parameter for a gzip header
_LEVEL: Final = 1

_SNAPSHOT = "begin isolation level repeatable read read only; set local timezone = 'UTC'; set local datestyle = 'ISO'"
# A backup reads for as long as it takes; whoever wants the locks that it holds (migrations) waits, or it is stopped.
_PATIENT = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0"
_TABLES_SQL = """
select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and c.relname <> all($1)
group by c.relname order by c.relname
"""


class Summary(Struct):
    """What a backup has, for the operator."""

    file: str
    bytes: int
    tables: int
    rows: int
    files: int
    missing_files: int
    has_master_key: bool
    made_at: str
    revision: str


async def dump(
    dsn: str, store: Store, path: Path, *, backup_id: UUID, version: str, master_key: Path | None, with_media: bool
) -> Summary:
    """Write a backup to `path`.

    Args:
        dsn: of the database; its tables belong to this user.
        store: where the media are.
        path: must not exist.
        backup_id: of the record.
        version: of the program.
        master_key: the file to include; None leaves the key out.
        with_media: whether to include the media.

    Raises:
        OperatorError: the database has no schema, or not that of this version; there is a file at `path`.
        StorageFailure: the media cannot be read.
    """
    writer = ArchiveWriter(path)
    try:
        manifest = await _write(writer, dsn, store, version=version, with_media=with_media)
        manifest.id = backup_id
        if master_key is not None:
            content = await asyncio.to_thread(master_key.read_bytes)
            with writer.spool() as spool:
                spool.write(content)
                spool.seek(0)
                writer.add(MASTER_KEY, spool, len(content))
        size = await asyncio.to_thread(writer.finish, manifest)
    except BaseException:
        writer.abandon()
        raise
    return Summary(
        file=str(path),
        bytes=size,
        tables=len(manifest.tables),
        rows=sum(table.rows for table in manifest.tables),
        files=sum(name.startswith(MEDIA) for name in manifest.digests),
        missing_files=len(manifest.missing_files),
        has_master_key=master_key is not None,
        made_at=manifest.made_at.isoformat(),
        revision=manifest.revision,
    )


async def _write(writer: ArchiveWriter, dsn: str, store: Store, *, version: str, with_media: bool) -> Manifest:
    connection = await asyncpg.connect(dsn, server_settings={"application_name": "signalpost backup"})
    try:
        await connection.execute(_PATIENT)
        await connection.execute(_SNAPSHOT)
        if not await runner.is_current(connection):
            raise OperatorError("The database has not the schema of this version. Run `signalpost migrate` first.")
        made_at = await connection.fetchval("select now()")
        manifest = Manifest(
            format=FORMAT,
            version=version,
            revision=await runner.current_revision(connection) or "",
            made_at=made_at,
            lookup_since=await connection.fetchval(hold.MADE_AT) or made_at,
            sealed=await connection.fetchval("select sealed from instance") or b"",
            tables=[],
            has_media=with_media,
        )
        for row in await connection.fetch(_TABLES_SQL, list(VOLATILE)):
            entry = await _dump_table(writer, connection, row["name"], row["columns"])
            manifest.tables.append(entry)
        # The snapshot is older than this list: every file that a row of it names is there, unless deleted since.
        if with_media:
            manifest.missing_files = await _dump_files(writer, store)
    finally:
        await connection.close()
    return manifest


async def _dump_table(
    writer: ArchiveWriter, connection: "asyncpg.Connection[Any]", name: str, columns: list[str]
) -> TableEntry:
    with writer.spool() as spool:
        compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)

        async def keep(piece: bytes) -> None:
            spool.write(compressor.compress(piece))

        names = ", ".join(f'"{column}"' for column in columns)
        status = await connection.copy_from_query(f'select {names} from "{name}"', output=keep)  # noqa: S608 - of the catalog
        spool.write(compressor.flush())
        size = spool.tell()
        spool.seek(0)
        await asyncio.to_thread(writer.add, f"{TABLES}{name}.copy.gz", spool, size)
    return TableEntry(name=name, columns=columns, rows=int(status.rpartition(" ")[2]))


async def _dump_files(writer: ArchiveWriter, store: Store) -> list[str]:
    """Add every object of the store; return those that disappeared meanwhile.

    Exports of workspaces stay out: they repeat what is in the backup, and can be made again.
    """
    missing = []
    async for path in store.paths():
        if f"/{EXPORTS}/" in path:
            continue
        try:
            opened = await store.open(path)
            with writer.spool() as spool:
                await _fill(spool, opened.pieces)
                size = spool.tell()
                spool.seek(0)
                await asyncio.to_thread(writer.add, f"{MEDIA}{path}", spool, size)
        except Missing:
            missing.append(path)
    return missing


async def _fill(spool: IO[bytes], pieces: AsyncIterator[bytes]) -> None:
    async for piece in pieces:
        await asyncio.to_thread(spool.write, piece)
