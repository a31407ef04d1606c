"""Look for the bytes of a file that a client sends to the object store, which does not say when they are there."""

from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.storage import Missing, StorageFailure
from signalpost.kit.tenant import tenant
from signalpost.media import receiver, storage_paths
from signalpost.media.actions.receive import announced_of
from signalpost.media.actions.store import PRESIGNED_SECONDS, complete_upload, fail_upload, reopen_upload
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, ProcessingError, read_media
from signalpost.media.receiver import FileReceiver, SizeLimits

RECEIVE_JOB: Final = "media.receive"
RECEIVE_SECONDS_MIN: Final = 2.0
"""After this long a file is looked for first; the longer it takes, the less often."""
RECEIVE_SECONDS_MAX: Final = 10.0
OBJECT_BYTES_MAX: Final = 1_000_000_000
"""A job reads the whole file, and has five minutes; larger ones come to us."""
_LAST_LOOK_SECONDS: Final = PRESIGNED_SECONDS + 600
"""After this long no upload that began while its URL was valid goes on."""

_FIND = f"select {MEDIA_COLUMNS} from media where id = $1"  # noqa: S608 - constants only


async def receive_object(context: AppContext, media_id: UUID) -> float | None:
    """Verify the bytes if they are there, and make the file ready; return when to look again, None for never.

    The client never writes to the path that is read from: what it sends after the check reaches nobody, and is removed
    by the last look.
    """
    async with context.database.connection() as db:
        record = await db.fetchrow(_FIND, media_id)
    if record is None:
        return None
    row = read_media(record)
    age = (clock.actual() - row.created_at).total_seconds()
    if row.status in ("uploaded", "processing"):  # the worker died during an earlier look
        await reopen_upload(context, row)
    elif row.status != "pending":
        return await _remove(context, row, age)
    try:
        if await context.storage.size(storage_paths.of_upload(row.workspace_id, row.id)) is None:
            return min(max(age / 4, RECEIVE_SECONDS_MIN), RECEIVE_SECONDS_MAX)
        await _receive(context, row)
    except (StorageFailure, Missing) as failure:
        raise problems.Unavailable("The object store does not respond.") from failure
    return await _remove(context, row, age)


async def _receive(context: AppContext, row: MediaRow) -> None:
    """Read the object as any other upload, and make the file ready, or failed if it is not what was announced."""
    limits = SizeLimits(
        file_bytes=row.size_bytes, storage_bytes=None, free_bytes_min=context.settings.storage_free_bytes_min
    )
    working = tenant.get()
    try:
        async with receiver.temporary_folder(context.settings.data_dir) as folder:
            file_receiver = FileReceiver(folder, limits, "", announced_of(row))
            async for piece in _pieces(context, row):
                await file_receiver.write(piece)
            file = await file_receiver.finish()
            await complete_upload(context, row, file, tenant=working and working.id, pointer="")
    except (problems.ValidationFailed, problems.PayloadTooLarge) as problem:
        code = problem.errors[0].code if problem.errors else "too_long"
        await fail_upload(context, row, ProcessingError(code, problem.detail))
    except problems.InvalidState:  # it was deleted meanwhile, or is late
        return


def _pieces(context: AppContext, row: MediaRow) -> AsyncIterator[bytes]:
    pieces: AsyncIterator[bytes] = context.storage.read(storage_paths.of_upload(row.workspace_id, row.id))
    return pieces


async def _remove(context: AppContext, row: MediaRow, age_seconds: float) -> float | None:
    """Remove what the client sent; return when to do so for the last time."""
    await context.storage.delete([storage_paths.of_upload(row.workspace_id, row.id)])
    return None if age_seconds > _LAST_LOOK_SECONDS else _LAST_LOOK_SECONDS - age_seconds + 1
