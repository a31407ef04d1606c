"""Bringing a backup back into an instance that nobody has used; it starts held, see `resume`."""

import asyncio
import gzip
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import asyncpg
from msgspec import Struct

from signalpost.admin import backups
from signalpost.engine import hold
from signalpost.kit import crypto
from signalpost.kit.archive import PIECE_BYTES
from signalpost.kit.crypto import KeyRing
from signalpost.kit.errors import OperatorError
from signalpost.kit.storage import Store
from signalpost.main.backup.archive import MASTER_KEY, MEDIA, TABLES, Reader, TableEntry
from signalpost.migrations import runner

# Rows of a table come after those that they refer to. Checks of rows of the same table wait for the end of the copy.
_REFERENCES = """
select c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent
from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conrelid <> c.confrelid
"""
_USED = "select exists (select from app_user) or exists (select from workspace)"
_RUNS = "select exists (select from worker where seen_at > now() - interval '15 s')"
_RECORDS_BACKUPS = "select to_regclass('backup') is not null"
"""Not with the schema of an older version."""
_SEQUENCES = """
select c.relname as name, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null
"""


class Restored(Struct):
    """What came back, for the operator."""

    tables: int
    rows: int
    files: int
    backup_made_at: str


def require_key(reader: Reader, configured: str | None, file: Path) -> KeyRing:
    """Return the keys that open this backup: those of the setting, of the file, or of the archive.

    Raises:
        OperatorError: none of them does.
    """
    manifest = reader.manifest
    candidates: list[tuple[str, str | bytes]] = []
    if configured:
        candidates.append(("SIGNALPOST_MASTER_KEY", configured))
    elif file.exists():
        candidates.append((str(file), crypto.master_key_file(file)))
    elif MASTER_KEY in manifest.digests:
        candidates.append((f"{MASTER_KEY} of the backup", reader.read(MASTER_KEY).decode("ascii", "replace").strip()))
    for name, key in candidates:
        keys = KeyRing.from_master(key)
        try:
            keys.open(manifest.sealed, context="instance")
        except crypto.Undecipherable:
            raise OperatorError(
                f"The backup was made with another master key than that of {name}, so no token in it could be read."
                " Set SIGNALPOST_MASTER_KEY to the right key."
            ) from None
        return keys
    raise OperatorError("The backup has no master.key. Set SIGNALPOST_MASTER_KEY to the key of the saved instance.")


def write_key(reader: Reader, file: Path) -> None:
    """Put the master key of the archive where the service looks for it."""
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as target:
        target.write(reader.read(MASTER_KEY))
        target.flush()
        os.fsync(target.fileno())


async def require_unused(dsn: str, revision: str) -> None:
    """Verify that a database has nobody's data, and that no process works with it; `revision`: of the backup.

    Raises:
        OperatorError: it has.
    """
    connection = await asyncpg.connect(dsn)
    try:
        if (current := await runner.current_revision(connection)) is None:
            return
        if current != revision:
            raise OperatorError("This database was prepared by another version. Restore into an empty one.")
        if await connection.fetchval(_RUNS):
            raise OperatorError("The service runs with this database. Stop it first.")
        if await connection.fetchval(_USED):
            raise OperatorError("This database has users already. Restore into an empty one, in another data folder.")
    finally:
        await connection.close()


async def load(reader: Reader, dsn: str, store: Store, work_folder: Path, *, superuser_dsn: str | None) -> Restored:
    """Store the files, and then, in one transaction, the rows; the engine is held with them.

    Run again after a failure: nothing is there before that transaction, except files.

    Args:
        reader: the backup, checked.
        dsn: of a database for which `require_unused` holds.
        store: for the media.
        work_folder: for one file at a time.
        superuser_dsn: see `runner.migrate`.

    Raises:
        DatabaseTooNew: the backup is of a newer version.
        StorageFailure: a file cannot be stored.
    """
    manifest = reader.manifest
    runner.require_known(manifest.revision)
    files = reader.names(MEDIA)
    for name in files:
        await _restore_file(reader, name, store, work_folder)
    await runner.migrate(dsn, superuser_dsn=superuser_dsn, to=manifest.revision)
    connection = await asyncpg.connect(dsn, server_settings={"application_name": "signalpost restore"})
    try:
        await connection.execute("set statement_timeout = 0")
        async with connection.transaction():
            await _load_tables(reader, connection, manifest.tables)
    finally:
        await connection.close()
    await runner.migrate(dsn, superuser_dsn=superuser_dsn)
    return Restored(
        tables=len(manifest.tables),
        rows=sum(table.rows for table in manifest.tables),
        files=len(files),
        backup_made_at=manifest.made_at.isoformat(),
    )


async def _restore_file(reader: Reader, name: str, store: Store, work_folder: Path) -> None:
    def copy() -> Path:
        with tempfile.NamedTemporaryFile(dir=work_folder, delete=False) as target, reader.open(name) as source:
            shutil.copyfileobj(source, target, PIECE_BYTES)
            return Path(target.name)

    file = await asyncio.to_thread(copy)
    try:
        await store.move(file, name.removeprefix(MEDIA))
    finally:
        file.unlink(missing_ok=True)


async def _load_tables(reader: Reader, connection: "asyncpg.Connection[Any]", tables: Sequence[TableEntry]) -> None:
    """Replace the rows of all tables. Triggers do not run: what they would do is in the backup."""
    names = [_quoted(table.name) for table in tables]
    await connection.execute("; ".join(f"alter table {name} disable trigger user" for name in names))
    await connection.execute(f"truncate {', '.join(names)} restart identity")
    references = [tuple(row) for row in await connection.fetch(_REFERENCES)]
    for table in _in_order(tables, references):
        member = f"{TABLES}{table.name}.copy.gz"
        await connection.copy_to_table(table.name, source=_rows(reader, member), columns=table.columns, timeout=None)
        count = await connection.fetchval(f"select count(*) from {_quoted(table.name)}")  # noqa: S608 - of the catalog
        if count != table.rows:
            raise OperatorError(f"The table {table.name} has {count} rows after restoring, and had {table.rows}.")
    await connection.execute("; ".join(f"alter table {name} enable trigger user" for name in names))
    for row in await connection.fetch(_SEQUENCES):
        name, column = _quoted(row["name"]), _quoted(row["column"])
        setval = f"select setval($1, coalesce(max({column}), 1), count(*) > 0) from {name}"  # noqa: S608 - see above
        await connection.execute(setval, row["sequence"])
    await hold.begin(connection, reader.manifest.lookup_since)
    if await connection.fetchval(_RECORDS_BACKUPS):
        await backups.forget(connection)


def _in_order(tables: Sequence[TableEntry], references: Sequence[tuple[str, ...]]) -> list[TableEntry]:
    """Return the tables, each after those that it refers to."""
    by_name = {table.name: table for table in tables}
    parents: dict[str, set[str]] = {name: set() for name in by_name}
    for child, parent in references:
        if child in parents and parent in by_name:
            parents[child].add(parent)
    ordered: list[TableEntry] = []
    while parents:
        ready = sorted(name for name, needed in parents.items() if not needed & parents.keys())
        if not ready:
            raise AssertionError(f"tables refer to each other in a circle: {sorted(parents)}")
        for name in ready:
            ordered.append(by_name[name])
            del parents[name]
    return ordered


async def _rows(reader: Reader, member: str) -> AsyncIterator[bytes]:
    with reader.open(member) as packed, gzip.open(packed) as rows:
        while piece := await asyncio.to_thread(rows.read, PIECE_BYTES):
            yield piece


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
