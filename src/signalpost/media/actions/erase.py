"""Erasure of all files of a workspace: their bytes first, then their rows."""

from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.media import storage_paths
from signalpost.media.actions import resume
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, read_media

_SOME: Final = f"select {MEDIA_COLUMNS} from media where workspace_id = $1 order by id limit $2"  # noqa: S608 - constants
_DELETE: Final = "delete from media where workspace_id = $1 and id = any($2)"


async def erase_files(context: AppContext, lease: Lease, workspace_id: UUID, limit: int) -> int:
    """Erase so many files; return how many there were, 0 for none.

    Raises:
        StorageFailure: bytes cannot be removed; their row stays.
    """
    async with lease.transaction() as db:
        rows = [read_media(record) for record in await db.fetch(_SOME, workspace_id, limit)]
    for row in rows:
        await remove_bytes(context, row)
    if rows:
        async with lease.transaction() as db:
            await db.execute(_DELETE, workspace_id, [row.id for row in rows])
    return len(rows)


async def remove_bytes(context: AppContext, row: MediaRow) -> None:
    """Remove the bytes of a file, of its variants and of an upload that has not ended.

    Raises:
        StorageFailure: they cannot be removed now.
    """
    await context.storage.delete(_paths(row))
    if row.upload_method == "resumable":
        await resume.remove_pieces(context, row)


def _paths(row: MediaRow) -> list[str]:
    paths = [row.storage_path, *(variant.storage_path for variant in row.variants)]
    if row.thumbnail_path is not None:
        paths.append(row.thumbnail_path)
    return paths if row.upload_method != "object" else [*paths, storage_paths.of_upload(row.workspace_id, row.id)]
