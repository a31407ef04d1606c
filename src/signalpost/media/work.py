"""The sweep: ends what nobody usage, removes bytes whose time is over, and what died on its way in."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import log
from signalpost.kit.storage import StorageFailure
from signalpost.media.queries import COLUMNS, MediaRow, row_of

EVERY_SECONDS = 3_600
_BATCH = 200
_logger = log.get("media")

_DUE = f"select {COLUMNS} from media where expires_at <= now() order by workspace_id, expires_at limit $1"  # noqa: S608
_UNUSED = """
update media set status = 'deleted', deleted_at = now(), updated_at = now(), expires_at = now()
where id = any($1) and status = 'ready' and expires_at <= now()
"""
_LATER = "update media set expires_at = now() + $2::interval where id = any($1) and expires_at <= now()"
_GONE = "update media set expires_at = null where id = any($1) and status = 'deleted'"
_FORGET = "delete from media where id = any($1) and status = 'processing' and expires_at <= now()"


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind("media.sweep", sweeper(context), EVERY_SECONDS)]


def sweeper(context: AppContext) -> Callable[[Lease, Mapping[str, Any]], Awaitable[RunAgain | None]]:
    """Return the handler of `media.sweep`."""

    async def sweep(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        async with context.database.connection() as db:
            rows = [row_of(row) for row in await db.fetch(_DUE, _BATCH)]
        await _end_unused(context, lease, [row for row in rows if row.status == "ready"])
        await _remove_bytes(context, lease, [row for row in rows if row.status != "ready"])
        return RunAgain(0) if any(row.status == "ready" for row in rows) or len(rows) == _BATCH else None

    return sweep


async def _end_unused(context: AppContext, lease: Lease, rows: list[MediaRow]) -> None:
    """Delete those that no post uses; look at the others again in 90 days."""
    for workspace_id, group in groupby(rows, key=lambda row: row.workspace_id):
        found = [row.id for row in group]
        async with lease.transaction() as db:
            uses = await context.hooks.count_media_uses(db, workspace_id, found)
            await db.execute(_LATER, [media_id for media_id in found if media_id in uses], timedelta(days=90))
            await db.execute(_UNUSED, [media_id for media_id in found if media_id not in uses])


async def _remove_bytes(context: AppContext, lease: Lease, rows: list[MediaRow]) -> None:
    if not rows:
        return
    gone: dict[str, list[UUID]] = {"deleted": [], "processing": []}
    stuck: list[UUID] = []
    for row in rows:
        try:
            await context.storage.delete([path for path in (row.storage_path, row.thumbnail_path) if path])
            gone.setdefault(row.status, []).append(row.id)
        except StorageFailure:  # one bad object must not stop the others
            _logger.warning("media.not_removed", media=str(row.id), exc_info=True)
            stuck.append(row.id)
    async with lease.transaction() as db:
        await db.execute(_GONE, gone["deleted"])
        await db.execute(_FORGET, gone["processing"])
        await db.execute(_LATER, stuck, timedelta(hours=1))
    lease.count("removed")
