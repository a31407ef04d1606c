"""Make URLs to which the bytes of one announced file can be sent without a credential."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.storage import StorageFailure
from signalpost.media import signed_urls, storage_paths
from signalpost.media.actions.announce import AnnouncedFile, announce_file, announce_files
from signalpost.media.actions.receive_object import OBJECT_BYTES_MAX, RECEIVE_JOB, RECEIVE_SECONDS_MIN
from signalpost.media.actions.store import PRESIGNED_SECONDS
from signalpost.media.queries import MediaRow
from signalpost.media.schemas import UploadPresign
from signalpost.web.caller import Caller


class Presigned(NamedTuple):
    """An upload that may begin: where to send the bytes of the file, and with which headers."""

    row: MediaRow
    url: str
    headers: dict[str, str]
    expires_at: datetime


async def presign_upload(context: AppContext, db: Db, caller: Caller, file: UploadPresign) -> Presigned:
    """Announce a file and return its URL.

    Raises:
        PayloadTooLarge: the file is larger than its type may be.
        Also what `presign_uploads` raises.
    """
    announcement = _announcement(context, file)
    return await _presigned(
        context, db, await announce_file(context, db, caller, announcement, seconds=PRESIGNED_SECONDS)
    )


async def presign_uploads(
    context: AppContext, db: Db, caller: Caller, files: Sequence[UploadPresign]
) -> list[Presigned]:
    """Announce several files, all or none, and return their URLs in the same order.

    Raises:
        ValidationFailed: a profile is unknown, or a file is larger than its type may be; with every issue.
        PlanLimitReached: the plan's storage has no room for all of them.
    """
    announcements = [_announcement(context, file, f"/files/{index}") for index, file in enumerate(files)]
    rows = await announce_files(context, db, caller, announcements, seconds=PRESIGNED_SECONDS)
    return [await _presigned(context, db, row) for row in rows]


def _announcement(context: AppContext, file: UploadPresign, pointer: str = "") -> AnnouncedFile:
    """Return how the bytes arrive: at the object store itself only if it can be bound to what was announced."""
    size = file.size
    direct = (
        size is not None
        and size <= OBJECT_BYTES_MAX
        and file.checksum_sha256 is not None
        and context.storage.can_presign(size)
    )
    return AnnouncedFile(file, "object" if direct else "put", pointer)


async def _presigned(context: AppContext, db: Db, row: MediaRow) -> Presigned:
    assert row.expires_at is not None  # noqa: S101 - the row was just written
    if row.upload_method == "put":
        url = signed_urls.create_upload(context.keys, context.base_url, row.id, int(row.expires_at.timestamp()))
        return Presigned(row, url, {"Content-Type": row.mime_type}, row.expires_at)
    assert row.upload_bytes is not None  # noqa: S101 - see _announcement
    try:
        signed = await context.storage.presign_put(
            storage_paths.of_upload(row.workspace_id, row.id),
            content_type=row.mime_type,
            size=row.upload_bytes,
            sha256=row.sha256,
            seconds=PRESIGNED_SECONDS,
        )
    except StorageFailure as failure:
        raise problems.Unavailable("Uploads cannot be signed right now.", headers={"Retry-After": "10"}) from failure
    await jobs.enqueue(
        db, RECEIVE_JOB, {"media": ids.encode("med", row.id)},
        workspace_id=row.workspace_id, run_at=row.created_at + timedelta(seconds=RECEIVE_SECONDS_MIN),
    )  # fmt: skip
    return Presigned(row, signed.url, signed.headers, row.expires_at)
