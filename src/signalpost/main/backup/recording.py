"""Noting a backup in the database that is saved. Whatever goes wrong here, the backup itself is as good as without."""

import asyncio
import os
from pathlib import Path
from typing import Any, Final

import asyncpg
import msgspec

from signalpost.admin import backups
from signalpost.admin.backups import Backup
from signalpost.kit import clock
from signalpost.kit.errors import OperatorError
from signalpost.kit.storage import StorageFailure
from signalpost.main.backup.archive import MEDIA, Reader

SECONDS_MAX: Final = 10.0
ERROR_LENGTH_MAX: Final = 500
_UNWRITABLE: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError)  # a TimeoutError is an OSError
_HAS_TABLE: Final = "select to_regclass('backup') is not null"


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
