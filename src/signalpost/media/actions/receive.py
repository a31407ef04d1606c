"""Receive the bytes of an announced file at its signed URL."""

from collections.abc import AsyncIterator
from uuid import UUID

from msgspec import Struct

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.identity.queries import maker_role as find_maker_role
from signalpost.identity.queries import tenant_sql
from signalpost.identity.roles import SCOPES_OF
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.tenant import Tenant, work_for
from signalpost.media import file_types, receiver, signed_urls
from signalpost.media.actions.store import complete_upload
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, read_media
from signalpost.media.receiver import Announced, FileReceiver, SizeLimits
from signalpost.web.fields import SignedQuery

_FIND = f"""
select {MEDIA_COLUMNS}, {tenant_sql("media.workspace_id")} as tenant_id, created_by ->> 'id' as maker
from media where id = $1
"""  # noqa: S608 - constants only


class SentHeaders(Struct, frozen=True):
    """What the headers of a request say about its body; None: nothing."""

    content_type: str
    size: int | None


async def receive_upload(
    context: AppContext, media_id: UUID, query: SignedQuery, sent: SentHeaders, pieces: AsyncIterator[bytes]
) -> MediaRow:
    """Receive the bytes of a file and make it ready. What is refused before its last byte can be sent again.

    Raises:
        NotFound: the URL was not signed by us or has expired.
        InvalidState: the URL was used.
        UnsupportedMediaType, PayloadTooLarge, ValidationFailed: these are not the bytes that were announced.
        Unavailable: the disk is full, or the object store does not respond.
    """
    if not signed_urls.is_valid_upload(context.keys, media_id, query.expires, query.signature):
        raise problems.NotFound("This URL is invalid or has expired. Announce the file again for a new one.")
    async with context.database.connection() as db:
        row, tenant = await _find(db, media_id)
    work_for(tenant)
    if row.status != "pending":
        raise problems.InvalidState(f"This URL was used: the file is {row.status}. Announce another file.")
    announced = announced_of(row)
    _check_headers(announced, sent, row.size_bytes)
    limits = SizeLimits(
        file_bytes=row.size_bytes, storage_bytes=None, free_bytes_min=context.settings.storage_free_bytes_min
    )
    async with receiver.temporary_folder(context.settings.data_dir) as folder:
        file_receiver = FileReceiver(folder, limits, "", announced)
        async for piece in pieces:
            await file_receiver.write(piece)
        ready = await complete_upload(context, row, await file_receiver.finish(), tenant=tenant.id, pointer="")
    await _record(context, ready)
    return ready


def announced_of(row: MediaRow) -> Announced:
    """Return what was announced about a pending file."""
    return Announced(type=file_types.ALLOWED[row.mime_type], size=row.upload_bytes, sha256=row.sha256)


async def _find(db: Db, media_id: UUID) -> tuple[MediaRow, Tenant]:
    record = await db.fetchrow(_FIND, media_id)
    if record is None:
        raise problems.NotFound("This file was deleted. Announce it again.")
    row = read_media(list(record.values())[:-2])
    await _require_maker(db, row, record["maker"])
    return row, Tenant(record["tenant_id"], row.workspace_id)


async def _require_maker(db: Db, row: MediaRow, maker: str | None) -> None:
    """Ensure that whoever announced the file, and their key, still may: the URL stands for that credential."""
    if row.created_by_user_id is None:
        return
    key_id = ids.decode("key", maker or "")
    role = await find_maker_role(db, row.workspace_id, row.created_by_user_id, key_id)
    if role is None or "media:write" not in SCOPES_OF[role]:
        raise problems.NotFound("The credential that announced this file does not work any more. Announce it again.")


def _check_headers(announced: Announced, sent: SentHeaders, bytes_max: int) -> None:
    if sent.content_type != announced.type.mime_type:
        raise problems.UnsupportedMediaType(
            f"This URL accepts {announced.type.mime_type}, not {sent.content_type[:100] or 'a body without a type'}."
            " Send the headers that came with the URL."
        )
    if sent.size is None:
        return
    if sent.size > bytes_max:
        raise problems.PayloadTooLarge(
            f"This URL accepts at most {bytes_max} bytes.", limit={"name": "fileBytes", "max": bytes_max}
        )
    if announced.size is not None and sent.size != announced.size:
        message = f"Content-Length is {sent.size}, but {announced.size} bytes were announced."
        raise problems.invalid("Content-Length", "not_allowed", message, expected=announced.size, actual=sent.size)


async def _record(context: AppContext, row: MediaRow) -> None:
    """Write history: whoever has the URL acts for the person who announced the file."""
    if row.created_by_user_id is None:
        return
    entry = audit.Entry(
        workspace_id=row.workspace_id,
        action="put_media_upload",
        actor=audit.user(row.created_by_user_id, None),
        subject=ids.encode("med", row.id),
    )
    async with context.database.transaction() as db:
        await audit.record(db, entry)
