"""Receive a file in several requests, each of which goes on where the one before ended."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import msgspec

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.storage import StorageFailure
from signalpost.media import file_types, receiver
from signalpost.media.actions.announce import AnnouncedFile, announce_file
from signalpost.media.actions.receive import announced_of
from signalpost.media.actions.store import complete_upload, reopen_upload
from signalpost.media.errors import UploadConflict
from signalpost.media.pieces import PiecesFile
from signalpost.media.queries import MediaRow
from signalpost.media.receiver import LEFTOVER_SECONDS, ReceivedFile
from signalpost.media.running_digest import RunningDigest
from signalpost.media.schemas import UploadPresign
from signalpost.media.tus import Appended
from signalpost.web import validation
from signalpost.web.caller import Caller

_decoder = validation.decoder_of(UploadPresign)
_METADATA = "Upload-Metadata/"
_STATUS = "select status from media where id = $1 and workspace_id = $2"
_MEMBERS = ("fileName", "contentType", "profileId", "altText", "checksumSha256")


async def create_upload(
    context: AppContext, db: Db, caller: Caller, length: int, metadata: Mapping[str, str]
) -> MediaRow:
    """Announce a file of `length` bytes; members of `metadata` that are not ours are ignored.

    Raises:
        ValidationFailed: a member is missing or wrong.
        PayloadTooLarge, PlanLimitReached: the file is larger than its type may be, or than the storage that is left.
    """
    members = {name: metadata[name] for name in _MEMBERS if name in metadata}
    document = {"fileName": "file", **members, "size": length}
    try:
        file = validation.decode_body(_decoder, msgspec.json.encode(document))
        return await announce_file(context, db, caller, AnnouncedFile(file, "resumable"), seconds=LEFTOVER_SECONDS)
    except problems.ValidationFailed as problem:
        issues = [msgspec.structs.replace(issue, path=_place(issue.path)) for issue in problem.errors]
        raise problems.ValidationFailed(errors=issues) from None


def _place(pointer: str) -> str:
    """Return where a member of the announcement stands in the headers."""
    return {"/size": "Upload-Length", "/contentType": f"{_METADATA}filetype", "/fileName": f"{_METADATA}filename"}.get(
        pointer, _METADATA + pointer.removeprefix("/")
    )


async def offset_of(context: AppContext, caller: Caller, row: MediaRow) -> int:
    """Return how many bytes have arrived. A complete file that was left unfinished is finished first.

    Raises:
        Unavailable: it is being finished, or cannot be now.
        Also what `complete_upload` raises.
    """
    file = _pieces_file(context, row)
    if not file.is_complete and row.status != "processing":  # of a file that is ready, nothing is left here
        return file.offset if row.status == "pending" else _length(row)
    try:
        with file.exclusively():
            if file.is_complete or await _take_back(context, row, file):  # nobody has finished it meanwhile
                if row.status != "pending":  # whoever began to process it died
                    await reopen_upload(context, row)
                await _finish(context, caller, row, file)
    except UploadConflict:
        raise problems.Unavailable("The upload is being finished.", headers={"Retry-After": "1"}) from None
    return _length(row)


async def _take_back(context: AppContext, row: MediaRow, file: PiecesFile) -> bool:
    """Fetch the file back if whoever stored it died before the row could say so; return whether that was so."""
    async with context.database.connection() as db:
        status = await db.fetchval(_STATUS, row.id, row.workspace_id)
    try:
        if status != "processing" or await context.storage.size(row.storage_path) is None:
            return False
        partial = file.received.with_name("partial")
        await asyncio.to_thread(partial.unlink, missing_ok=True)
        await context.storage.fetch(row.storage_path, partial)
        await asyncio.to_thread(
            partial.rename, file.received
        )  # now it has all bytes: one that is there counts as whole
    except StorageFailure as failure:
        raise problems.Unavailable("Files cannot be read right now.", headers={"Retry-After": "60"}) from failure
    return True


async def append(
    context: AppContext, caller: Caller, row: MediaRow, appended: Appended, pieces: AsyncIterator[bytes]
) -> int:
    """Add the bytes of a request; the last ones make the file ready. Return the new offset.

    Raises:
        UploadConflict: the upload is elsewhere, or another request is sending.
        ChecksumMismatch, PayloadTooLarge, ValidationFailed: these are not the bytes that were announced.
        Unavailable: the connection broke, the disk is full, or the object store does not respond.
    """
    if row.status != "pending":
        raise UploadConflict("All bytes of this upload have arrived.", headers={"Upload-Offset": str(_length(row))})
    file = _pieces_file(context, row)
    with file.exclusively():
        digest = RunningDigest(needed=bool(row.sha256)) if appended.offset == 0 else None
        await file.append(appended.offset, _checked(row, appended.offset, pieces), appended.checksum, digest)
        offset = file.offset
        if file.is_complete:
            await _finish(context, caller, row, file, digest)
    return offset


async def _checked(row: MediaRow, offset: int, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Refuse a file of another type with its first bytes."""
    head: bytes | None = b"" if offset == 0 else None
    async for piece in pieces:
        if head is not None:
            head += piece[: file_types.HEAD_BYTES]
            if len(head) >= file_types.HEAD_BYTES:
                receiver.recognize(head, "", announced_of(row).type)
                head = None
        yield piece


async def _finish(
    context: AppContext, caller: Caller, row: MediaRow, file: PiecesFile, digest: RunningDigest | None = None
) -> None:
    """Verify, examine and store the complete file. What is refused is not kept; what could not be stored is."""
    try:
        received = await _received(row, file, digest)
        ready = await complete_upload(context, row, received, tenant=caller.tenant.id, pointer="")
    except (problems.ValidationFailed, problems.InvalidState):
        await remove_pieces(context, row)
        raise
    await remove_pieces(context, row)
    async with context.database.transaction() as db:
        entry = audit.Entry(
            workspace_id=row.workspace_id,
            action="append_media_upload",
            actor=caller.actor,
            subject=ids.encode("med", ready.id),
        )
        await audit.record(db, entry)


async def _received(row: MediaRow, file: PiecesFile, digest: RunningDigest | None) -> ReceivedFile:
    """Verify that all bytes are those that were announced, unless that was done before."""
    announced = announced_of(row)
    if file.received.exists():
        head = await asyncio.to_thread(_head, file.received)
        size = file.received.stat().st_size
        return ReceivedFile(
            path=file.received, type=receiver.recognize(head, "", announced.type), size=size, sha256=b""
        )
    head = await asyncio.to_thread(_head, file.path)
    sha256 = b""
    if announced.sha256:
        sha256 = await receiver.sha256(file.path) if digest is None else digest.digest()
    file_type = receiver.recognize(head, "", announced.type)
    received = ReceivedFile(path=file.received, type=file_type, size=file.offset, sha256=sha256, digest=digest)
    receiver.require_announced(received, announced, "")
    await asyncio.to_thread(file.path.rename, file.received)  # from here on it may be changed
    return received


async def remove_pieces(context: AppContext, row: MediaRow) -> None:
    """Remove what has arrived of an upload."""
    folder = receiver.lasting_folder(context.settings.data_dir, row.id)
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _head(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(file_types.HEAD_BYTES)


def _length(row: MediaRow) -> int:
    return row.upload_bytes or 0


def _pieces_file(context: AppContext, row: MediaRow) -> PiecesFile:
    folder = receiver.lasting_folder(context.settings.data_dir, row.id)
    return PiecesFile(folder, _length(row), context.settings.storage_free_bytes_min)
