"""The file of a backup, an archive as `kit.archive` makes it.

database/TABLE.copy.gz   rows in PostgreSQL's text format of COPY, columns as the manifest names them
media/PATH               objects of the storage
master.key               unless it was left out
manifest.json            what there is, with digests
"""

from datetime import datetime
from pathlib import Path
from typing import Final, TypeAlias
from uuid import UUID

from msgspec import Struct, field

from signalpost.kit import archive

FORMAT: Final = 1
NAME: Final = "a backup"
MASTER_KEY: Final = "master.key"
TABLES: Final = "database/"
MEDIA: Final = "media/"


class TableEntry(Struct):
    """A table as it was dumped."""

    name: str
    columns: list[str]
    rows: int


class Manifest(archive.Manifest, kw_only=True):
    """What a backup has."""

    kind: str = NAME  # older backups do not say it
    id: UUID | None = None  # of the record; older backups have none
    version: str  # of the program
    revision: str  # of the schema
    made_at: datetime  # by the clock of the database: later changes are not in it
    lookup_since: datetime  # earlier than that if the instance was held when it was saved
    sealed: bytes  # what only the right master key opens
    tables: list[TableEntry]
    missing_files: list[str] = field(default_factory=list)  # objects that the storage did not have
    has_media: bool = True


Reader: TypeAlias = archive.ArchiveReader[Manifest]
KIND: Final = archive.Kind(NAME, FORMAT, Manifest)


def read(path: Path) -> Reader:
    """Open a backup.

    Raises:
        BadArchive: it is none, or was cut off.
    """
    return archive.ArchiveReader(path, KIND)
