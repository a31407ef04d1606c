"""The sweep: delete files that nothing uses, and remove the bytes of deleted files and of interrupted uploads."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.media import states
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, read_media

SWEEP_JOB = "media.sweep"
BATCH = 200
UNUSED_DAYS = 90
RETRY_HOURS = 1

_DUE = f"select {MEDIA_COLUMNS} from media where expires_at <= now() order by workspace_id, expires_at limit $1"  # noqa: S608
_DELETE_UNUSED = """
update media set status = 'deleted', deleted_at = now(), updated_at = now(), expires_at = now()
where id = any($1) and status = any($2) and expires_at <= now()
"""
_POSTPONE = "update media set expires_at = now() + $2::interval where id = any($1) and expires_at <= now()"
_BYTES_REMOVED = "update media set expires_at = null where id = any($1) and status = 'deleted'"
_DELETE_INTERRUPTED = "delete from media where id = any($1) and status = 'processing' and expires_at <= now()"


async def due(db: Db) -> list[MediaRow]:
    """Return a batch of the files whose time has come, those of a workspace together."""
    return [read_media(record) for record in await db.fetch(_DUE, BATCH)]


async def delete_unused(context: AppContext, db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> None:
    """Delete those of the ready files that nothing uses; look at the others again in 90 days."""
    uses = await context.hooks.count_media_uses(db, workspace_id, media_ids)
    used = [media_id for media_id in media_ids if media_id in uses]
    unused = [media_id for media_id in media_ids if media_id not in uses]
    await db.execute(_POSTPONE, used, timedelta(days=UNUSED_DAYS))
    await db.execute(_DELETE_UNUSED, unused, states.before("deleted"))


async def record_removed(db: Db, rows: Sequence[MediaRow]) -> None:
    """Record that the bytes of these files are removed: of deleted files, and of uploads that were interrupted."""
    await db.execute(_BYTES_REMOVED, [row.id for row in rows if row.status == "deleted"])
    await db.execute(_DELETE_INTERRUPTED, [row.id for row in rows if row.status == "processing"])


async def retry_later(db: Db, rows: Sequence[MediaRow]) -> None:
    """Look at these files again in an hour."""
    await db.execute(_POSTPONE, [row.id for row in rows], timedelta(hours=RETRY_HOURS))
