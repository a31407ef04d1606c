"""The sweep as a periodic job; deleting a file runs it at once, and announcing one when its time is over."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import Handler, JobKind, RunAgain
from signalpost.kit import ids, log
from signalpost.kit.storage import StorageFailure
from signalpost.media.actions import encode, erase, receive_object, sweep
from signalpost.media.queries import MediaRow

SWEEP_EVERY_SECONDS = 3_600
_logger = log.get("media")


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [
        JobKind(sweep.SWEEP_JOB, _sweep(context), SWEEP_EVERY_SECONDS),
        JobKind(receive_object.RECEIVE_JOB, _receive(context)),
        JobKind(encode.ENCODE_JOB, _encode(context)),
    ]


def _receive(context: AppContext) -> Handler:
    async def run(_lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        media_id = ids.decode("med", payload["media"])
        seconds = None if media_id is None else await receive_object.receive_object(context, media_id)
        return None if seconds is None else RunAgain(seconds)

    return run


def _encode(context: AppContext) -> Handler:
    async def run(_lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
        return await encode.encode_variant(context, payload)

    return run


def _sweep(context: AppContext) -> Handler:
    async def run(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain:
        async with context.database.connection() as db:
            rows = await sweep.due(db)
        unused = [row for row in rows if row.status in ("ready", "failed")]
        for workspace_id, group in groupby(unused, key=lambda row: row.workspace_id):
            async with lease.transaction() as db:
                await sweep.delete_unused(context, db, workspace_id, [row.id for row in group])
        await _remove_bytes(context, lease, [row for row in rows if row not in unused])
        if unused or len(rows) == sweep.BATCH:
            return RunAgain(0)
        async with context.database.connection() as db:
            seconds = await sweep.seconds_to_next(db)
        return RunAgain(SWEEP_EVERY_SECONDS if seconds is None else min(max(seconds, 1.0), SWEEP_EVERY_SECONDS))

    return run


async def _remove_bytes(context: AppContext, lease: Lease, rows: Sequence[MediaRow]) -> None:
    if not rows:
        return
    removed: list[MediaRow] = []
    failed: list[MediaRow] = []
    for row in rows:
        try:
            await erase.remove_bytes(context, row)
            removed.append(row)
        except StorageFailure:  # one bad object must not stop the others
            _logger.warning("media.removal_failed", media=ids.encode("med", row.id))
            failed.append(row)
    async with lease.transaction() as db:
        await sweep.record_removed(db, removed)
        await sweep.retry_later(db, failed)
    lease.count("removed")
