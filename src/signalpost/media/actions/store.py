"""Examine a received file and store it with its row."""

from dataclasses import replace

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.kit.storage import StorageFailure
from signalpost.media import file_types, probe_process, receiver, states
from signalpost.media.probe_process import Rejection
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, read_media
from signalpost.media.receiver import ReceivedFile
from signalpost.media.schemas import UploadFields
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.web.caller import Caller

_INSERT = """
insert into media (id, workspace_id, profile_id, kind, file_name, mime_type, size_bytes, sha256, width, height,
    duration_ms, fps, video_codec, audio_codec, storage_path, thumbnail_path, alt_text, status, source_url, created_by,
    created_by_user_id, mode, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'processing', $18, $19, $20,
    $21, now() + interval '1 hour')
"""
_READY = f"""
update media set status = 'ready', expires_at = now() + interval '90 days', updated_at = now()
where id = $1 and status = any($2)
returning {MEDIA_COLUMNS}
"""  # noqa: S608 - constants only
_ABANDON = "update media set expires_at = now() where id = $1 and status = 'processing'"


async def store_file(
    context: AppContext,
    caller: Caller,
    file: ReceivedFile,
    fields: UploadFields,
    *,
    file_name: str | None,
    pointer: str,
    source_url: str | None = None,
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
    probed = await probe_process.probe(file.path, file.type, file.thumbnail, tenant=caller.tenant.id)
    if isinstance(probed, Rejection):
        raise problems.invalid(pointer, probed.code, probed.message)
    if probed.changed:
        file = replace(file, size=file.path.stat().st_size, sha256=await receiver.sha256(file.path))
    media_id = ids.new_id()
    base = f"{ids.encode('wsp', caller.workspace_id)}/{ids.encode('med', media_id)}"
    path = f"{base}.{file.type.extensions[0]}"
    thumbnail_path = f"{base}.thumbnail.webp" if file.thumbnail.exists() else None
    async with context.database.transaction() as db:
        await plans.require_capacity(db, caller, limits.STORAGE_BYTES, file.size)
        await db.execute(
            _INSERT, media_id, caller.workspace_id, fields.profile_id, kind,
            file_types.safe_name(file_name, file.type), file.type.mime_type, file.size, file.sha256, probed.width,
            probed.height, probed.duration_ms, probed.fps, probed.video_codec, probed.audio_codec, path,
            thumbnail_path, fields.alt_text, source_url, caller.actor, caller.user_id, caller.mode,
        )  # fmt: skip
    try:
        await context.storage.put(path, file.path)
        if thumbnail_path:
            await context.storage.put(thumbnail_path, file.thumbnail)
    except StorageFailure as failure:
        async with context.database.transaction() as db:
            await db.execute(_ABANDON, media_id)
        raise problems.Unavailable("Files cannot be stored right now.", headers={"Retry-After": "60"}) from failure
    async with context.database.transaction() as db:
        record = await db.fetchrow(_READY, media_id, states.before("ready"))
    if record is None:
        raise problems.Unavailable("Storing the file took too long.", headers={"Retry-After": "5"})
    return read_media(record)
