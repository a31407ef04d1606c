"""What `signalpost backup`, `verify`, `restore` and `resume` do."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import asyncpg
import msgspec

from signalpost.admin import backups
from signalpost.admin.backups import Backup
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.embedded_postgres.cluster import Cluster, accepts_connections, is_initialised, recorded_socket_dir
from signalpost.embedded_postgres.sharing import shared_cluster
from signalpost.engine import hold
from signalpost.kit import clock, ids, storage
from signalpost.kit.errors import OperatorError
from signalpost.kit.storage import StorageFailure
from signalpost.main.backup import archive, load
from signalpost.main.backup.archive import MASTER_KEY, MEDIA, Reader
from signalpost.main.backup.dump import dump
from signalpost.main.database import require_usable
from signalpost.main.listening import running_service
from signalpost.messenger.actions import send as replies
from signalpost.posts.change import recovery
from signalpost.settings import Settings

SECONDS_MAX: Final = 10.0
ERROR_LENGTH_MAX: Final = 500
_UNWRITABLE: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError)  # a TimeoutError is an OSError
_HAS_TABLE: Final = "select to_regclass('backup') is not null"


async def backup(settings: Settings, path: Path, *, with_key: bool, with_media: bool) -> dict[str, Any]:
    """Write a backup of an instance, whether it runs or not; it publishes meanwhile as usual.

    `notRecorded` in the result: why the database does not know of it, though the backup is good; else None.

    Raises:
        OperatorError: there is no instance, or a file at `path`.
        StorageFailure: the media cannot be read.
    """
    key = settings.data_dir / MASTER_KEY
    has_key = with_key and settings.master_key is None and key.exists()
    if settings.database_url is None and not is_initialised(settings.data_dir / "postgres"):
        raise OperatorError(f"There is no database in {settings.data_dir}. Correct --data-dir.")
    store = storage.open_store(settings.storage_url, settings.data_dir / "media")
    begun = Backup(
        id=ids.new_id(), started_at=clock.now(), host=socket.gethostname(), file_name=name_of(path),
        version=metadata.version("signalpost"), has_media=with_media, has_master_key=has_key,
    )  # fmt: skip
    async with _address(settings) as (dsn, _):
        record = Recording(dsn, path, begun)
        await record.write()
        try:
            summary = await dump(
                dsn, store, path, backup_id=begun.id, version=begun.version, master_key=key if has_key else None,
                with_media=with_media,
            )  # fmt: skip
        except BaseException as error:
            await record.fail(error)
            raise
        await record.write(
            status="succeeded", ended_at=clock.now(), made_at=datetime.fromisoformat(summary.made_at),
            revision=summary.revision, bytes=summary.bytes, row_count=summary.rows, files=summary.files,
            missing_files=summary.missing_files,
        )  # fmt: skip
    return {**_camel(summary), "notRecorded": record.problem}


async def verify(settings: Settings, path: Path) -> dict[str, Any]:
    """Read a backup from end to end, and try the master key on it if there is one.

    If the database runs that was saved, its record of the backup says so from then on; nothing else is changed.

    Raises:
        BadArchive: it is damaged.
        OperatorError: the key does not open it.
    """
    with archive.read(path) as reader:
        await asyncio.to_thread(reader.check)
        manifest, key = reader.manifest, settings.data_dir / MASTER_KEY
        has_key = bool(settings.master_key) or key.exists() or MASTER_KEY in manifest.digests
        if has_key:
            load.require_key(reader, settings.master_key, key)
        dsn = _address_of_running(settings)
        return {
            "file": str(path),
            "madeAt": manifest.made_at.isoformat(),
            "version": manifest.version,
            "revision": manifest.revision,
            "tables": len(manifest.tables),
            "rows": sum(table.rows for table in manifest.tables),
            "files": len(reader.names(MEDIA)),
            "missingFiles": len(manifest.missing_files),
            "masterKey": "fits" if has_key else "not checked: it is neither in the backup nor here",
            "record": "none: no database runs here" if dsn is None else await note_verified(dsn, reader),
        }


async def restore(settings: Settings, path: Path) -> dict[str, Any]:
    """Bring a backup back into an instance without users; everything it would publish is held until `resume`.

    Raises:
        BadArchive: the backup is damaged; nothing was changed.
        OperatorError: the instance is in use, or its master key is another.
    """
    with archive.read(path) as reader:
        await asyncio.to_thread(reader.check)
        key_file = settings.data_dir / MASTER_KEY
        load.require_key(reader, settings.master_key, key_file)
        if running_service(settings.data_dir):
            raise OperatorError("The service runs on this data folder. Stop it first.")
        settings.data_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
        store = storage.open_store(settings.storage_url, settings.data_dir / "media")
        async with _address(settings) as (dsn, superuser_dsn):
            await load.require_unused(dsn, reader.manifest.revision)
            if settings.master_key is None and not key_file.exists():
                load.write_key(reader, key_file)
            restored = await load.load(reader, dsn, store, settings.data_dir, superuser_dsn=superuser_dsn)
    return _camel(restored)


async def resume(context: AppContext) -> dict[str, Any]:
    """Let a restored instance work. What is due by now is looked up at its network before it is sent.

    Raises:
        OperatorError: nothing is held.
    """
    async with context.database.transaction() as db:
        made_at = await hold.lift(db)
        if made_at is None:
            raise OperatorError("Nothing is held: this instance works already.")
        count = await recovery.look_up_what_is_due(db, made_at)
        await replies.doubt_what_waits(db, made_at)
        await audit.command(db, "resume")
    return {"backupMadeAt": made_at.isoformat(), "lookedUp": count}


@asynccontextmanager
async def _address(settings: Settings) -> AsyncIterator[tuple[str, str | None]]:
    """Yield the address of the database, as it is, and that of its superuser if it is the embedded one."""
    if settings.database_url:
        await require_usable(settings.database_url)
        yield settings.database_url, None
        return
    async with shared_cluster(settings.data_dir) as cluster:
        yield cluster.dsn(), cluster.dsn(user="postgres")


def _address_of_running(settings: Settings) -> str | None:
    """Return the address of the database, if it is an external one or the embedded one runs; else None."""
    if settings.database_url:
        return settings.database_url
    folder = settings.data_dir / "postgres"
    socket_dir = recorded_socket_dir(folder)
    if socket_dir is None or not accepts_connections(socket_dir):
        return None
    return Cluster(folder, socket_dir).dsn()


def _camel(struct: msgspec.Struct) -> dict[str, Any]:
    words = ((name.split("_"), value) for name, value in msgspec.structs.asdict(struct).items())
    return {first + "".join(word.title() for word in rest): value for (first, *rest), value in words}


class Recording:
    """Writes the record of one backup: at its beginning, so that one that is killed is known, and at its end."""

    def __init__(self, dsn: str, path: Path, backup: Backup) -> None:
        self.problem: str | None = None
        """Why the record does not say what it should; None if it does."""
        self._dsn, self._path = dsn, path
        self._backup = backup

    async def write(self, **changes: Any) -> None:
        """Write the record with these changes. Does not fail; see `problem`."""
        self._backup = msgspec.structs.replace(self._backup, **changes)
        try:
            async with asyncio.timeout(SECONDS_MAX):
                connection = await _connect(self._dsn)
                try:
                    async with connection.transaction():
                        await backups.write(connection, self._backup)
                finally:
                    connection.terminate()
        except _UNWRITABLE as error:
            self.problem = _reason(error)
        else:
            self.problem = None

    async def fail(self, error: BaseException) -> None:
        """Write why there is no backup."""
        text = _sentence(error).replace(str(self._path), self._backup.file_name)
        await self.write(status="failed", ended_at=clock.now(), error=text[:ERROR_LENGTH_MAX])


def name_of(path: Path) -> str:
    """Return the name of a file as text that the database can store, whatever bytes it has."""
    return os.fsencode(path.name).decode("utf-8", "replace")


async def note_verified(dsn: str, reader: Reader) -> str:
    """Note that a backup is whole; return what became of that, as a part of a sentence. Does not fail."""
    manifest = reader.manifest
    if manifest.id is None:
        return "none: older backups have no id"
    try:
        size = reader.path.stat().st_size
        async with asyncio.timeout(SECONDS_MAX):
            connection = await _connect(dsn)
            try:
                is_known = await connection.fetchval(_HAS_TABLE) and await backups.note_verified(
                    connection,
                    manifest.id,
                    made_at=manifest.made_at,
                    revision=manifest.revision,
                    size=size,
                    rows=sum(table.rows for table in manifest.tables),
                    files=len(reader.names(MEDIA)),
                    missing_files=len(manifest.missing_files),
                )
            finally:
                connection.terminate()
    except _UNWRITABLE as error:
        return f"not written: {_reason(error)}"
    return "says that it is verified" if is_known else "none: the database here does not know this backup"


async def _connect(dsn: str) -> "asyncpg.Connection[Any]":
    return await asyncpg.connect(dsn, server_settings={"application_name": "signalpost backup record"})


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return f"the database did not respond within {SECONDS_MAX:.0f} seconds"
    return str(error) or type(error).__name__


def _sentence(error: BaseException) -> str:
    """Return why a backup failed, for staff: without what an unexpected error may quote."""
    if isinstance(error, OperatorError | StorageFailure):
        return str(error)
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return "It was interrupted."
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
