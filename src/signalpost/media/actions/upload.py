"""Accept an upload: a multipart form with the file, or a JSON body with its address."""

from collections.abc import AsyncIterator
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.media import multipart, receiver
from signalpost.media.actions.fetch import fetch_file
from signalpost.media.actions.limits import over_storage_limit, size_limits
from signalpost.media.actions.store import store_file
from signalpost.media.queries import MediaRow
from signalpost.media.receiver import FileReceiver, PlanStorageExceeded
from signalpost.media.schemas import MediaFetch, UploadFields
from signalpost.web import validation
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

JSON_BYTES_MAX = 100_000

_media_fetch = msgspec.json.Decoder(MediaFetch, dec_hook=ids.decode_hook)
_upload_fields = msgspec.json.Decoder(UploadFields, dec_hook=ids.decode_hook)


async def upload(context: AppContext, caller: Caller, content_type: str, pieces: AsyncIterator[bytes]) -> MediaRow:
    """Store the file of a multipart form, or the file at the address that a JSON body names.

    Raises:
        UnsupportedMediaType: the body is neither a multipart form nor JSON.
        Also what `fetch_file` raises.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "multipart/form-data":
        return await _upload_form(context, caller, content_type, pieces)
    if media_type == "application/json":
        return await _upload_from_url(context, caller, pieces)
    raise problems.UnsupportedMediaType(
        "This operation accepts multipart/form-data or application/json,"
        f" not {media_type[:100] or 'a body without a Content-Type'}.",
        remediation="Send the file as the field `file` of a form (curl -F file=@picture.jpg), or JSON with its `url`."
        " For bytes without a form: POST /media/presign-upload, then PUT them to the address that it returns.",
    )


async def _upload_form(
    context: AppContext, caller: Caller, content_type: str, pieces: AsyncIterator[bytes]
) -> MediaRow:
    limits = await size_limits(context, caller)
    async with receiver.temporary_folder(context.settings.data_dir) as folder:
        try:
            form = await multipart.read_form(content_type, pieces, FileReceiver(folder, limits, "/file"))
        except PlanStorageExceeded:
            raise await over_storage_limit(context, caller, limits) from None
        present = {name: value for name, value in form.fields.items() if value}
        fields = validation.decode_body(_upload_fields, msgspec.json.encode(present))
        if form.file is None:
            raise problems.invalid(
                "/file", "required", "The form has no part named file. Example: curl -F file=@cat.jpg."
            )
        await _require_profile(context, caller, fields.profile_id)
        return await store_file(context, caller, form.file, fields, file_name=form.file_name, pointer="/file")


async def _upload_from_url(context: AppContext, caller: Caller, pieces: AsyncIterator[bytes]) -> MediaRow:
    data = validation.decode_body(_media_fetch, await _small_body(pieces))
    await _require_profile(context, caller, data.profile_id)
    return await fetch_file(context, caller, data)


async def _small_body(pieces: AsyncIterator[bytes]) -> bytes:
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > JSON_BYTES_MAX:
            raise problems.PayloadTooLarge(
                f"This body may have at most {JSON_BYTES_MAX} bytes.", limit={"max": JSON_BYTES_MAX}
            )
    return body


async def _require_profile(context: AppContext, caller: Caller, profile_id: UUID | None) -> None:
    """Ensure that the caller sees the profile that the body names.

    Raises:
        ValidationFailed: the profile is unknown or belongs to someone else.
    """
    if profile_id is None:
        return
    if caller.may_see_profile(profile_id):
        async with context.database.connection() as db:
            if await context.hooks.profile_exists(db, caller.workspace_id, profile_id):
                return
    raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
