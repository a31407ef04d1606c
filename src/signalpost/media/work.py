"""The sweep as a periodic job; deleting a file runs it at once."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import Handler, JobKind, RunAgain
from signalpost.kit import ids, log
from signalpost.kit.storage import StorageFailure
from signalpost.media.actions import sweep
from signalpost.media.queries import MediaRow

SWEEP_EVERY_SECONDS = 3_600
_logger = log.get("media")


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(sweep.SWEEP_JOB, _sweep(context), SWEEP_EVERY_SECONDS)]


def _sweep(context: AppContext) -> Handler:
    async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        async with context.database.connection() as db:
            rows = await sweep.due(db)
        ready = [row for row in rows if row.status == "ready"]
        for workspace_id, group in groupby(ready, key=lambda row: row.workspace_id):
            async with lease.transaction() as db:
                await sweep.delete_unused(context, db, workspace_id, [row.id for row in group])
        await _remove_bytes(context, lease, [row for row in rows if row.status != "ready"])
        return RunAgain(0) if ready or len(rows) == sweep.BATCH else None

    return run


async def _remove_bytes(context: AppContext, lease: Lease, rows: Sequence[MediaRow]) -> None:
    if not rows:
        return
    removed: list[MediaRow] = []
    failed: list[MediaRow] = []
    for row in rows:
        try:
            await context.storage.delete([path for path in (row.storage_path, row.thumbnail_path) if path])
            removed.append(row)
        except StorageFailure:  # one bad object must not stop the others
            _logger.warning("media.removal_failed", media=ids.encode("med", row.id))
            failed.append(row)
    async with lease.transaction() as db:
        await sweep.record_removed(db, removed)
        await sweep.retry_later(db, failed)
    lease.count("removed")
