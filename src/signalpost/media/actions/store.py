"""Examine a received file and store it with its row."""

import asyncio
from collections.abc import Hashable
from uuid import UUID

from msgspec import Struct, structs

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.kit.storage import StorageFailure
from signalpost.media import file_types, probe_process, receiver, states, storage_paths
from signalpost.media.actions.sweep import FAILED_DAYS
from signalpost.media.probe_process import ProbeResult, Rejection
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, ProcessingError, read_media
from signalpost.media.receiver import ReceivedFile
from signalpost.media.schemas import UploadFields
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.web.caller import Caller

PRESIGNED_SECONDS = 900
"""How long the bytes of an announced file are waited for."""

_INSERT = """
insert into media (id, workspace_id, profile_id, kind, file_name, mime_type, size_bytes, sha256, width, height,
    duration_ms, fps, video_codec, audio_codec, storage_path, thumbnail_path, alt_text, status, source_url, created_by,
    created_by_user_id, mode, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'processing', $18, $19, $20,
    $21, now() + interval '1 hour')
"""
_CLAIM = """
update media set status = 'uploaded', expires_at = now() + interval '1 hour', updated_at = now()
where id = $1 and workspace_id = $2 and status = any($3) and expires_at > now()
returning id
"""
_PROCESS = """
update media set status = 'processing', thumbnail_path = $4, expires_at = now() + interval '1 hour', updated_at = now()
where id = $1 and workspace_id = $2 and status = any($3)
returning id
"""
_READY = f"""
update media set status = 'ready', expires_at = now() + interval '90 days', updated_at = now()
where id = $1 and workspace_id = $2 and status = any($3)
returning {MEDIA_COLUMNS}
"""  # noqa: S608 - constants only
_COMPLETE = f"""
update media set status = 'ready', size_bytes = $4, sha256 = $5, width = $6, height = $7, duration_ms = $8, fps = $9,
    video_codec = $10, audio_codec = $11, expires_at = now() + interval '90 days', updated_at = now()
where id = $1 and workspace_id = $2 and status = any($3)
returning {MEDIA_COLUMNS}
"""  # noqa: S608 - constants only
_REOPEN = """
update media set status = 'pending', expires_at = now() + make_interval(secs => $4), updated_at = now()
where id = $1 and workspace_id = $2 and status = any($3)
"""
_FAIL = """
update media set status = 'failed', error = $4, expires_at = now() + make_interval(days => $5), updated_at = now()
where id = $1 and workspace_id = $2 and status = any($3)
"""
_ABANDON = "update media set expires_at = now() where id = $1 and workspace_id = $2 and status = 'processing'"


class ExaminedFile(Struct, frozen=True, kw_only=True):
    """A received file without metadata, and what it contains."""

    file: ReceivedFile
    probed: ProbeResult

    @property
    def has_thumbnail(self) -> bool:
        return self.file.thumbnail.exists()


async def store_file(
    context: AppContext,
    caller: Caller,
    file: ReceivedFile,
    fields: UploadFields,
    *,
    file_name: str | None,
    pointer: str,
    source_url: str | None = None,
    media_id: UUID | None = None,
) -> MediaRow:
    """Examine a received file, write its row, store its bytes, and only then mark it as ready.

    The row is written before the bytes are stored: if the process dies in between, the sweep finds the row.

    Raises:
        ValidationFailed: the file is damaged, or of another kind than the fields say.
        PlanLimitReached: the plan's storage is full.
        Unavailable: the object store does not respond.
    """
    kind = file.type.kind
    if fields.kind is not None and fields.kind != kind:
        raise problems.invalid("/kind", "not_allowed", f"This file is of kind {kind}, not {fields.kind}.", found=kind)
    examined = await _examine(file, caller.tenant.id)
    if isinstance(examined, Rejection):
        raise problems.invalid(pointer, examined.code, examined.message)
    file, probed = examined.file, examined.probed
    media_id, workspace_id = media_id or ids.new_id(), caller.workspace_id
    path = storage_paths.of_file(workspace_id, media_id, file.type)
    thumbnail_path = storage_paths.of_thumbnail(workspace_id, media_id) if examined.has_thumbnail else None
    async with context.database.transaction() as db:
        await plans.require_capacity(db, caller, limits.STORAGE_BYTES, file.size)
        await db.execute(
            _INSERT, media_id, workspace_id, fields.profile_id, kind,
            file_types.safe_name(file_name, file.type), file.type.mime_type, file.size, file.sha256, probed.width,
            probed.height, probed.duration_ms, probed.fps, probed.video_codec, probed.audio_codec, path,
            thumbnail_path, fields.alt_text, source_url, caller.actor, caller.user_id, caller.mode,
        )  # fmt: skip
    try:
        await _store_bytes(context, file, path, thumbnail_path)
    except StorageFailure as failure:
        async with context.database.transaction() as db:
            await db.execute(_ABANDON, media_id, workspace_id)
        raise _not_stored() from failure
    async with context.database.transaction() as db:
        record = await db.fetchrow(_READY, media_id, workspace_id, states.before("ready"))
    if record is None:
        raise _too_slow()
    return read_media(record)


async def complete_upload(
    context: AppContext, row: MediaRow, file: ReceivedFile, *, tenant: Hashable, pointer: str
) -> MediaRow:
    """Take the bytes of an announced file: examine them, store them, and only then mark the file as ready.

    Of several that send the same file, the first to come here wins. A file that is refused here has `failed`.

    Raises:
        InvalidState: other bytes came first, or these came too late.
        ValidationFailed: the file is damaged.
        Unavailable: the object store does not respond.
    """
    async with context.database.transaction() as db:
        claimed = await db.fetchval(_CLAIM, row.id, row.workspace_id, states.before("uploaded"))
    if claimed is None:
        raise problems.InvalidState("The bytes of this file were sent before, or came too late. Announce it again.")
    examined = await _examine(file, tenant)
    if isinstance(examined, Rejection):
        await fail_upload(context, row, ProcessingError(examined.code, examined.message))
        raise problems.invalid(pointer, examined.code, examined.message)
    file, probed = examined.file, examined.probed
    thumbnail_path = storage_paths.of_thumbnail(row.workspace_id, row.id) if examined.has_thumbnail else None
    async with context.database.transaction() as db:
        if not await db.fetchval(_PROCESS, row.id, row.workspace_id, states.before("processing"), thumbnail_path):
            raise _too_slow()
    try:
        await _store_bytes(context, file, row.storage_path, thumbnail_path)
    except StorageFailure as failure:
        await reopen_upload(context, row)
        raise _not_stored() from failure
    async with context.database.transaction() as db:
        record = await db.fetchrow(
            _COMPLETE, row.id, row.workspace_id, states.before("ready"), file.size, file.sha256, probed.width,
            probed.height, probed.duration_ms, probed.fps, probed.video_codec, probed.audio_codec,
        )  # fmt: skip
    if record is None:
        raise _too_slow()
    return read_media(record)


async def reopen_upload(context: AppContext, row: MediaRow) -> None:
    """Have an announced file, whose bytes could not be stored, wait for them again."""
    async with context.database.transaction() as db:
        await db.execute(_REOPEN, row.id, row.workspace_id, states.before("pending"), PRESIGNED_SECONDS)


async def fail_upload(context: AppContext, row: MediaRow, error: ProcessingError) -> None:
    """Mark an announced file as failed; its share of the storage is free again."""
    async with context.database.transaction() as db:
        await db.execute(_FAIL, row.id, row.workspace_id, states.before("failed"), error, FAILED_DAYS)


async def _examine(file: ReceivedFile, tenant: Hashable) -> ExaminedFile | Rejection:
    probed = await probe_process.probe(file.path, file.type, file.thumbnail, tenant=tenant)
    if isinstance(probed, Rejection):
        return probed
    if file.digest is not None and probed.changes is not None:
        sha256 = await asyncio.to_thread(file.digest.digest_after_changes, file.path, probed.changes)
    elif probed.changed or not file.sha256:
        sha256 = await receiver.sha256(file.path)
    else:
        return ExaminedFile(file=file, probed=probed)
    return ExaminedFile(file=structs.replace(file, size=file.path.stat().st_size, sha256=sha256), probed=probed)


async def _store_bytes(context: AppContext, file: ReceivedFile, path: str, thumbnail_path: str | None) -> None:
    await context.storage.move(file.path, path)
    if thumbnail_path:
        await context.storage.move(file.thumbnail, thumbnail_path)


def _not_stored() -> problems.Unavailable:
    return problems.Unavailable("Files cannot be stored right now.", headers={"Retry-After": "60"})


def _too_slow() -> problems.Unavailable:
    return problems.Unavailable("Storing the file took too long.", headers={"Retry-After": "5"})
