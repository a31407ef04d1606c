"""The archive of a workspace, as `kit.archive` makes it; docs/guides/export.md describes it for users.

tables/TABLE.jsonl.gz   one JSON object for each row, with the columns as its members
media/FILE              the bytes of files and thumbnails; their rows name them
manifest.json           what there is, with digests
"""

from datetime import datetime
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct, field

from signalpost.kit import archive

FORMAT: Final = 1
NAME: Final = "an export of a workspace"
MEDIA: Final = "media/"


class WorkspaceEntry(Struct):
    """The workspace itself."""

    id: str
    name: str
    slug: str
    timezone: str
    zone_chosen: bool
    redirect_urls: list[str]
    created_at: datetime


class Manifest(archive.Manifest, kw_only=True):
    """What an export has."""

    version: str  # of the program
    revision: str  # of the schema: an import needs the same
    made_at: datetime
    workspace: WorkspaceEntry
    rows: dict[str, int] = field(default_factory=dict)  # table -> rows
    left_out: dict[str, str] = field(default_factory=dict)  # table -> why
    missing_files: list[str] = field(default_factory=list)  # named by a row, and not in the storage


Reader: TypeAlias = archive.ArchiveReader[Manifest]
KIND: Final = archive.Kind(NAME, FORMAT, Manifest)


def read(path: Path) -> Reader:
    """Open an export.

    Raises:
        BadArchive: it is none, or was cut off.
    """
    return archive.ArchiveReader(path, KIND)


def member_of(table: str) -> str:
    """Return the name of the member with the rows of a table."""
    return f"tables/{table}.jsonl.gz"


def member_of_file(storage_path: str) -> str:
    """Return the name of the member with a file, which in the storage lies in the folder of its workspace."""
    return MEDIA + storage_path.partition("/")[2]
