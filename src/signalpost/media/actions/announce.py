"""Announce files: their rows wait for the bytes, and hold their share of the plan's storage until then."""

from collections.abc import Sequence

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.media import file_types, storage_paths
from signalpost.media.actions.limits import file_bytes_max
from signalpost.media.actions.sweep import SWEEP_JOB
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, read_media
from signalpost.media.schemas import UploadPresign
from signalpost.media.states import UploadMethod
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

_INSERT = f"""
insert into media (id, workspace_id, profile_id, kind, file_name, mime_type, size_bytes, sha256, storage_path, alt_text,
    status, created_by, created_by_user_id, mode, upload_method, upload_bytes, expires_at)
select f.id, $1, f.profile_id, f.kind, f.file_name, f.mime_type, f.reserved, f.sha256, f.path, f.alt_text, 'pending',
    $2, $3, $4, f.method, f.bytes, now() + make_interval(secs => $5)
from unnest($6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bytea[], $13::text[],
    $14::text[], $15::text[], $16::bigint[])
    as f(id, profile_id, kind, file_name, mime_type, reserved, sha256, path, alt_text, method, bytes)
returning {MEDIA_COLUMNS}
"""  # noqa: S608 - constants only


class AnnouncedFile(Struct, frozen=True):
    """One file: what the client says about it, how its bytes will arrive, and its place in the request, for issues."""

    file: UploadPresign
    method: UploadMethod
    pointer: str = ""

    @property
    def type(self) -> file_types.FileType:
        return file_types.ALLOWED[self.file.content_type]


async def announce_files(
    context: AppContext, db: Db, caller: Caller, announcements: Sequence[AnnouncedFile], *, seconds: int
) -> list[MediaRow]:
    """Write a pending row for each file, all of them or none; the bytes have to arrive within `seconds`.

    Raises:
        ValidationFailed: a profile is unknown, or a file is larger than its type may be; with every issue.
        PlanLimitReached: the plan's storage has no room for all of them.
    """
    largest = file_bytes_max(context, caller)
    issues = await _profile_issues(context, db, caller, announcements)
    issues += [issue for entry in announcements if (issue := _size_issue(entry, largest)) is not None]
    if issues:
        raise problems.ValidationFailed(errors=issues)
    reserved = [entry.file.size or entry.type.bytes_max(largest) for entry in announcements]
    await plans.require_capacity(db, caller, limits.STORAGE_BYTES, sum(reserved))
    columns = [_values(caller, entry, size) for entry, size in zip(announcements, reserved, strict=True)]
    records = await db.fetch(
        _INSERT, caller.workspace_id, caller.actor, caller.user_id, caller.mode, seconds,
        *(list(column) for column in zip(*columns, strict=True)),
    )  # fmt: skip
    rows = {record["id"]: read_media(record) for record in records}
    ordered = [rows[values[0]] for values in columns]
    await jobs.enqueue(db, SWEEP_JOB, {}, unique_key=SWEEP_JOB, run_at=ordered[0].expires_at)
    return ordered


async def announce_file(
    context: AppContext, db: Db, caller: Caller, announcement: AnnouncedFile, *, seconds: int
) -> MediaRow:
    """Write a pending row for one file.

    Raises:
        PayloadTooLarge: the file is larger than its type may be.
        Also what `announce_files` raises.
    """
    try:
        [row] = await announce_files(context, db, caller, [announcement], seconds=seconds)
    except problems.ValidationFailed as problem:
        if [issue.path for issue in problem.errors] == ["/size"]:
            [issue] = problem.errors
            raise problems.PayloadTooLarge(issue.message, limit={"name": "fileBytes"} | (issue.params or {})) from None
        raise
    return row


def _values(caller: Caller, entry: AnnouncedFile, reserved: int) -> tuple[object, ...]:
    media_id, file, file_type = ids.new_id(), entry.file, entry.type
    return (
        media_id, file.profile_id, file_type.kind, file_types.safe_name(file.file_name, file_type),
        file_type.mime_type, reserved, bytes.fromhex(file.checksum_sha256 or ""),
        storage_paths.of_file(caller.workspace_id, media_id, file_type), file.alt_text, entry.method, file.size,
    )  # fmt: skip


def _size_issue(entry: AnnouncedFile, largest: int) -> Issue | None:
    bytes_max = entry.type.bytes_max(largest)
    if entry.file.size is None or entry.file.size <= bytes_max:
        return None
    message = f"A file of type {entry.type.mime_type} may have at most {bytes_max} bytes."
    return Issue(f"{entry.pointer}/size", "out_of_range", message, {"max": bytes_max})


async def _profile_issues(
    context: AppContext, db: Db, caller: Caller, announcements: Sequence[AnnouncedFile]
) -> list[Issue]:
    missing = set()
    for profile_id in {entry.file.profile_id for entry in announcements}:
        if profile_id is not None and not (
            caller.may_see_profile(profile_id)
            and await context.hooks.profile_exists(db, caller.workspace_id, profile_id)
        ):
            missing.add(profile_id)
    return [
        ProfileId.not_found(f"{entry.pointer}/profileId") for entry in announcements if entry.file.profile_id in missing
    ]
