"""Taking files in, describing and deleting them. No transaction is open while bytes move."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit
from uuid import UUID

import msgspec
from msgspec import UNSET

from signalpost.context import AppContext, MediaUse
from signalpost.engine import jobs
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import http, ids, problems, storage
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.media import file_types, multipart, probe_process, queries, receiver, states
from signalpost.media.errors import MediaFetchFailed
from signalpost.media.probe_process import ProbeResult, Rejected
from signalpost.media.queries import COLUMNS, MediaRow, row_of
from signalpost.media.receiver import FileReceiver, PlanStorageExceeded, ReceivedFile, SizeLimits
from signalpost.media.schemas import MediaFetch, MediaUpdate, UploadFields
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.plans import queries as plan_queries
from signalpost.web import validation
from signalpost.web.caller import Caller

SWEEP = "media.sweep"
"""The job that removes bytes nobody needs any more; see `work`."""
JSON_BYTES_MAX = 100_000
FETCH_SECONDS = 300.0
FETCH_REDIRECTS_MAX = 3

_fetch_body = msgspec.json.Decoder(MediaFetch)
_form_fields = msgspec.json.Decoder(UploadFields)


async def upload(context: AppContext, caller: Caller, content_type: str, pieces: AsyncIterator[bytes]) -> MediaRow:
    """Take in a file: the one of a multipart form, or the one at the address that a JSON body names.

    Raises:
        UnsupportedMediaType: neither form nor JSON.
        Everything of `fetch`.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _upload_form(context, caller, content_type, pieces)
    if kind == "application/json":
        wish = validation.decode_body(_fetch_body, await _small_body(pieces))
        profile_id = await _profile(context, caller, wish.profile_id)
        return await fetch(
            context, caller, wish.url,
            file_name=wish.file_name, profile_id=profile_id, alt_text=wish.alt_text, kind=wish.kind,
        )  # fmt: skip
    raise problems.UnsupportedMediaType(
        f"This operation reads multipart/form-data or application/json, not {kind[:100] or 'a body without a type'}."
    )


async def fetch(
    context: AppContext,
    caller: Caller,
    url: str,
    *,
    file_name: str | None = None,
    profile_id: UUID | None = None,
    alt_text: str | None = None,
    kind: str | None = None,
    pointer: str = "/url",
) -> MediaRow:
    """Fetch the file at a public address and take it in.

    Args:
        context: settings, storage and the guarded client.
        caller: who pays for the room.
        url: as the user gave it; every hop of a redirect is judged like a fresh address.
        file_name: by default the last part of the address.
        profile_id: a profile that the caller may see; not checked here.
        alt_text: what the file shows.
        kind: what it is expected to be.
        pointer: where in the request `url` stands, for errors.

    Raises:
        UnsafeAddress, MediaFetchFailed: the address is forbidden, or does not give a file.
        PayloadTooLarge, PlanLimitReached, ValidationFailed: the file is too large or none we take in.
        Unavailable: no room on the disk, or the store does not answer.
    """
    bounds = await _bounds(context, caller)
    async with receiver.temporary_folder(context.settings.data_dir) as folder:
        file = FileReceiver(folder, bounds, pointer)
        try:
            await context.http.download(
                url,
                file.take,
                bytes_max=max(bounds.file_bytes, file_types.DOCUMENT_BYTES_MAX),
                timeout_seconds=FETCH_SECONDS,
                redirects_max=FETCH_REDIRECTS_MAX,
            )
            received = await file.finish()
        except http.HttpFailure as failure:
            raise _fetch_problem(failure, pointer) from None
        except PlanStorageExceeded:
            raise await _used_up(context, caller, bounds) from None
        with suppress(ValueError):
            file_name = file_name or unquote(PurePosixPath(urlsplit(url).path).name, errors="replace")
        fields = UploadFields(alt_text=alt_text, kind=kind)  # type: ignore[arg-type]  # checked against what it is
        return await _keep(
            context, caller, received, fields,
            file_name=file_name, profile_id=profile_id, pointer=pointer, source_url=http.redact_url(url),
        )  # fmt: skip


async def _upload_form(
    context: AppContext, caller: Caller, content_type: str, pieces: AsyncIterator[bytes]
) -> MediaRow:
    bounds = await _bounds(context, caller)
    async with receiver.temporary_folder(context.settings.data_dir) as folder:
        try:
            form = await multipart.read(content_type, pieces, FileReceiver(folder, bounds, "/file"))
        except PlanStorageExceeded:
            raise await _used_up(context, caller, bounds) from None
        given = {name: value for name, value in form.fields.items() if value}
        fields = validation.decode_body(_form_fields, msgspec.json.encode(given))
        if form.file is None:
            raise problems.invalid("/file", "required", "The form has no part named file.")
        profile_id = await _profile(context, caller, fields.profile_id)
        return await _keep(
            context, caller, form.file, fields, file_name=form.file_name, profile_id=profile_id, pointer="/file"
        )


async def _small_body(pieces: AsyncIterator[bytes]) -> bytes:
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > JSON_BYTES_MAX:
            raise problems.PayloadTooLarge(
                f"This body has at most {JSON_BYTES_MAX} bytes.", limit={"max": JSON_BYTES_MAX}
            )
    return body


async def _profile(context: AppContext, caller: Caller, given: str | None) -> UUID | None:
    if given is None:
        return None
    profile_id = ids.decode("prof", given)
    async with context.database.connection() as db:
        if profile_id is None or not await queries.profile_exists(db, caller, profile_id):
            raise problems.invalid("/profileId", "not_found", "There is no such profile here.")
    return profile_id


async def _bounds(context: AppContext, caller: Caller) -> SizeLimits:
    """Read how much may come, before anything does.

    Raises:
        PlanLimitReached: the plan's storage is full.
    """
    settings = context.settings
    room = limits.STORAGE_BYTES.of(caller.plan)
    if room is not None:
        async with context.database.transaction() as db:
            await plans.require_capacity(db, caller, limits.STORAGE_BYTES, 1)
            room -= await plan_queries.count(db, caller.workspace_id, limits.STORAGE_BYTES)
    file_bytes = limits.FILE_BYTES.of(caller.plan) or settings.media_file_bytes_max
    return SizeLimits(
        file_bytes=min(file_bytes, settings.media_file_bytes_max),
        storage_bytes=room,
        free_bytes_min=settings.storage_free_bytes_min,
    )


async def _used_up(context: AppContext, caller: Caller, bounds: SizeLimits) -> problems.Problem:
    try:
        async with context.database.transaction() as db:
            await plans.require_capacity(db, caller, limits.STORAGE_BYTES, (bounds.storage_bytes or 0) + 1)
    except PlanLimitReached as reached:
        return reached
    return problems.Unavailable("The room of the plan changed meanwhile.", headers={"Retry-After": "1"})


def _fetch_problem(failure: http.HttpFailure, pointer: str) -> problems.Problem:
    def finding(code: str) -> list[Issue]:
        return [Issue(pointer, code, failure.detail)]

    match failure:
        case http.UnsafeUrl():
            return problems.UnsafeAddress(
                f"This address is not fetched: {failure.detail}.", errors=finding("not_allowed")
            )
        case http.TooLarge():
            return problems.PayloadTooLarge(f"The file is too large: {failure.detail}.")
        case http.NotSent(ours=True):
            return problems.Unavailable("No file can be fetched right now.", headers={"Retry-After": "5"})
    return MediaFetchFailed(f"The file could not be fetched: {failure.detail}.", errors=finding("not_found"))


_INSERT = f"""
insert into media (id, workspace_id, profile_id, kind, file_name, mime_type, size_bytes, sha256, width, height,
    duration_ms, fps, video_codec, audio_codec, storage_path, thumbnail_path, alt_text, status, source_url, created_by,
    created_by_user_id, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'processing', $18, $19, $20,
    now() + interval '1 hour')
returning {COLUMNS}
"""  # noqa: S608 - constants only
_READY = f"""
update media set status = 'ready', expires_at = now() + interval '90 days', updated_at = now()
where id = $1 and status = any($2)
returning {COLUMNS}
"""  # noqa: S608 - constants only
_ABANDON = "update media set expires_at = now() where id = $1 and status = 'processing'"


async def _keep(
    context: AppContext,
    caller: Caller,
    received: ReceivedFile,
    fields: UploadFields,
    *,
    file_name: str | None,
    profile_id: UUID | None,
    pointer: str,
    source_url: str | None = None,
) -> MediaRow:
    """Examine a received file, give it a row, store it, and only then call it ready.

    The row comes before the bytes: whatever dies in between leaves a row that the sweep finds, never lost bytes.
    """
    kind = received.format.kind
    if fields.kind is not None and fields.kind != kind:
        raise problems.invalid("/kind", "not_allowed", f"This file is of kind {kind}, not {fields.kind}.", found=kind)
    found = await probe_process.examine(received.file, received.format, received.thumbnail)
    if isinstance(found, Rejected):
        raise problems.invalid(pointer, found.code, found.message)
    received = await _as_cleaned(received, found)
    media_id = ids.new_id()
    base = f"{ids.encode('wsp', caller.workspace_id)}/{ids.encode('med', media_id)}"
    path = f"{base}.{received.format.extensions[0]}"
    thumbnail_path = f"{base}.thumbnail.webp" if received.thumbnail.exists() else None
    async with context.database.transaction() as db:
        await plans.require_capacity(db, caller, limits.STORAGE_BYTES, received.size)
        await db.execute(
            _INSERT, media_id, caller.workspace_id, profile_id, kind, file_types.tidy_name(file_name, received.format),
            received.format.mime_type, received.size, received.sha256, found.width, found.height, found.duration_ms,
            found.fps, found.video_codec, found.audio_codec, path, thumbnail_path, fields.alt_text, source_url,
            caller.actor, caller.user_id,
        )  # fmt: skip
    try:
        await context.storage.put(path, received.file)
        if thumbnail_path:
            await context.storage.put(thumbnail_path, received.thumbnail)
    except storage.StorageFailure as failure:
        async with context.database.transaction() as db:
            await db.execute(_ABANDON, media_id)
        raise problems.Unavailable("Files cannot be stored right now.", headers={"Retry-After": "60"}) from failure
    async with context.database.transaction() as db:
        row = await db.fetchrow(_READY, media_id, states.before("ready"))
    if row is None:
        raise problems.Unavailable("Storing the file took too long.", headers={"Retry-After": "5"})
    return row_of(row)


async def _as_cleaned(received: ReceivedFile, found: ProbeResult) -> ReceivedFile:
    if not found.changed:
        return received
    return ReceivedFile(
        file=received.file,
        format=received.format,
        size=received.file.stat().st_size,
        sha256=await receiver.sha256(received.file),
    )


_UPDATE = f"""
update media set alt_text = $3, updated_at = now() where id = $1 and workspace_id = $2 and deleted_at is null
returning {COLUMNS}
"""  # noqa: S608 - constants only


async def update_media(db: Db, media: MediaRow, wish: MediaUpdate) -> MediaRow:
    """Change what was sent; posts that already name the file keep their own alternative text."""
    if wish.alt_text is UNSET:
        return media
    row = await db.fetchrow(_UPDATE, media.id, media.workspace_id, wish.alt_text)
    if row is None:
        raise problems.NotFound
    return row_of(row)


_DELETE = """
update media set status = 'deleted', deleted_at = now(), updated_at = now(),
    expires_at = now() + case when $4 then interval '7 days' else interval '0' end
where id = $1 and workspace_id = $2 and status = any($3)
returning expires_at
"""


async def delete_media(context: AppContext, db: Db, caller: Caller, media: MediaRow) -> MediaRow:
    """Delete a file. Its bytes stay for seven days if a post ever used it, else they go with the next sweep, now.

    Raises:
        Forbidden: somebody else's file, for those below admin.
        InvalidState: something that has not gone out yet needs it, or it is not ready yet.
    """
    if caller.role not in ("owner", "admin") and media.created_by_user_id != caller.user_id:
        raise problems.Forbidden("Your role may delete only files that you uploaded.")
    uses = await context.hooks.count_media_uses(db, media.workspace_id, [media.id])
    use = uses.get(media.id, MediaUse())
    if use.waiting:
        raise problems.InvalidState(
            f"This file is still needed in {use.waiting} place(s), such as a post that is yet to go out."
            " Take it out there, then delete it."
        )
    kept_until = await db.fetchval(_DELETE, media.id, media.workspace_id, states.before("deleted"), use.posts > 0)
    if kept_until is None:
        raise problems.InvalidState(f"A file that is {media.status} cannot be deleted.")
    await jobs.enqueue(db, SWEEP, {}, unique_key=SWEEP)
    return msgspec.structs.replace(media, status="deleted", expires_at=kept_until)
