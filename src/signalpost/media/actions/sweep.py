"""The sweep: end uploads that are late, delete files that nothing uses, and remove bytes that nothing needs."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.rows import read_all
from signalpost.media import states
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, ProcessingError, read_media

SWEEP_JOB = "media.sweep"
BATCH = 200
UNUSED_DAYS = 90
FAILED_DAYS = 7
"""How long a file that failed is shown with its error."""
RETRY_HOURS = 1
EXPIRED = ProcessingError("upload_expired", "The bytes did not arrive in time. Announce the file again.")
INTERRUPTED = ProcessingError("upload_interrupted", "The file could not be processed. Upload it again.")

_DUE = f"select {MEDIA_COLUMNS} from media where expires_at <= now() order by workspace_id, expires_at limit $1"  # noqa: S608
_NEXT = "select extract(epoch from min(expires_at) - now())::float8 from media where expires_at is not null"
_DELETE_UNUSED = """
update media set status = 'deleted', deleted_at = now(), updated_at = now(), expires_at = now()
where id = any($1) and status = any($2) and expires_at <= now()
"""
_FAIL = """
update media set status = 'failed', error = $3, expires_at = now() + make_interval(days => $4), updated_at = now()
where id = any($1) and status = any($2) and upload_method is not null and expires_at <= now()
"""
_POSTPONE = "update media set expires_at = now() + $2::interval where id = any($1) and expires_at <= now()"
_BYTES_REMOVED = "update media set expires_at = null where id = any($1) and status = 'deleted'"
_DELETE_INTERRUPTED = """
delete from media where id = any($1) and status = 'processing' and upload_method is null and expires_at <= now()
"""
_KEEP: Final = """
update media set expires_at = null where workspace_id = $1 and id = any($2) and status = 'ready'
"""
_RELEASE: Final = """
update media set expires_at = now() + make_interval(days => $3)
where workspace_id = $1 and id = any($2) and status = 'ready' and expires_at is null
"""


async def due(db: Db) -> list[MediaRow]:
    """Return a batch of the files whose time has come, those of a workspace together."""
    return await read_all(db, read_media, _DUE, BATCH)


async def seconds_to_next(db: Db) -> float | None:
    """Return in how many seconds the time of the next file comes; None if there is none."""
    seconds: float | None = await db.fetchval(_NEXT)
    return seconds


async def delete_unused(context: AppContext, db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> None:
    """Delete those of the ready and failed files that nothing uses; look at the others again in 90 days."""
    uses = await context.hooks.count_media_uses(db, workspace_id, media_ids)
    used = [media_id for media_id in media_ids if media_id in uses]
    unused = [media_id for media_id in media_ids if media_id not in uses]
    await db.execute(_POSTPONE, used, timedelta(days=UNUSED_DAYS))
    await db.execute(_DELETE_UNUSED, unused, ["ready", "failed"])


async def fail_late(db: Db, rows: Sequence[MediaRow]) -> None:
    """Mark announced files as failed whose bytes did not arrive, or were not processed in time."""
    for status, error in (("pending", EXPIRED), ("uploaded", INTERRUPTED), ("processing", INTERRUPTED)):
        media_ids = [row.id for row in rows if row.status == status]
        if media_ids and status in states.before("failed"):
            await db.execute(_FAIL, media_ids, [status], error, FAILED_DAYS)


async def record_removed(db: Db, rows: Sequence[MediaRow]) -> None:
    """Record that the bytes of these files are removed: of deleted files, and of uploads that were interrupted."""
    await db.execute(_BYTES_REMOVED, [row.id for row in rows if row.status == "deleted"])
    await db.execute(_DELETE_INTERRUPTED, [row.id for row in rows if row.status == "processing"])
    await fail_late(db, [row for row in rows if row.upload_method is not None])


async def retry_later(db: Db, rows: Sequence[MediaRow]) -> None:
    """Look at these files again in an hour."""
    await db.execute(_POSTPONE, [row.id for row in rows], timedelta(hours=RETRY_HOURS))


async def keep_files(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> None:
    """Have the sweep never delete these files. Their owners still may."""
    if media_ids:
        await db.execute(_KEEP, workspace_id, media_ids)


async def release_files(db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> None:
    """Have the sweep look at these files again, as at any that nothing may use."""
    if media_ids:
        await db.execute(_RELEASE, workspace_id, media_ids, UNUSED_DAYS)
