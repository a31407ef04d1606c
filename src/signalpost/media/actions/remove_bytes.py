"""Removing what a file has in storage."""

from signalpost.context import AppContext
from signalpost.media import storage_paths
from signalpost.media.actions import resume
from signalpost.media.queries import MediaRow


async def remove(context: AppContext, row: MediaRow) -> None:
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
