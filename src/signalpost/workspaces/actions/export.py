"""Exports that the owner of a workspace asks for: made by a job, fetched by a signed URL, removed after some days."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from signalpost import mail
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.identity import members
from signalpost.identity.actions import sign_in, workspaces
from signalpost.identity.queries import WorkspaceRow
from signalpost.kit import clock, ids, log, problems, storage
from signalpost.kit.db import Db
from signalpost.media.receiver import require_space, temporary_folder
from signalpost.web.caller import Caller
from signalpost.web.fields import SignedQuery
from signalpost.web.routing import RawResponse
from signalpost.web.streaming import Stream
from signalpost.workspaces import links, queries
from signalpost.workspaces.actions.write_archive import write_archive
from signalpost.workspaces.queries import EXPORT_COLUMNS, ExportRow, read_export
from signalpost.workspaces.schemas import WorkspaceExport

JOB: Final = "workspaces.export"
REMOVE_JOB: Final = "workspaces.remove_export"
FOLDER: Final = "exports"
"""In the folder of the workspace. Files of media lie beside it, never in it."""
VALID: Final = timedelta(days=7)
AT_ONCE_MAX: Final = 2
"""Exports that a process makes at one time, of different people: each may take long, and holds a place among all jobs
and a connection of its own."""
_EXPIRED_BATCH: Final = 50
_log = log.get("workspaces")

_FORMER: Final = "select requested_at from workspace_export where workspace_id = $1 for update"
_REQUEST: Final = f"""
insert into workspace_export (workspace_id, user_id, status) values ($1, $2, 'pending')
on conflict (workspace_id) do update set user_id = excluded.user_id, status = 'pending', requested_at = now(),
    finished_at = null, expires_at = null, size_bytes = null
where workspace_export.status in ('failed', 'expired') or workspace_export.status = 'ready' and (
    workspace_export.requested_at < now() - interval '10 minutes' or workspace_export.expires_at <= now()
    or workspace_export.user_id <> excluded.user_id) returning {EXPORT_COLUMNS}
"""  # noqa: S608 - constants only
_FINISH: Final = """
update workspace_export set status = 'ready', finished_at = now(), expires_at = now() + $3, size_bytes = $4
where workspace_id = $1 and status = 'pending' and requested_at = $2 returning true
"""
_BYTES: Final = """
select coalesce(sum(size_bytes), 0)::bigint from media where workspace_id = $1 and deleted_at is null
"""
_FAIL: Final = """
update workspace_export set status = 'failed', finished_at = now() where workspace_id = $1 and status = 'pending'
"""
_EXPIRED: Final = """
select workspace_id, requested_at from workspace_export
where status = 'ready' and expires_at <= now() order by expires_at limit $1
"""
_EXPIRE: Final = """
update workspace_export set status = 'expired' where workspace_id = $1 and requested_at = $2 and status = 'ready'
"""
_DELETE: Final = "delete from workspace_export where workspace_id = $1"
_FOR_MAIL: Final = """
select u.email, w.name from app_user u join workspace w on w.id = $2 where u.id = $1 and w.deleted_at is null
"""


class Running:
    """Who asked for the exports that this process is making."""

    def __init__(self) -> None:
        self.user_ids: set[UUID] = set()


async def require_owner(db: Db, caller: Caller, row: WorkspaceRow) -> None:
    """Ensure that the owner asks, and has just signed in: who finds an open browser does not carry everything away.

    Raises:
        Forbidden: someone else asks, or the session is older.
        SecondFactorMissing: the workspace requires a second factor, which the caller does not have.
    """
    if caller.auth != "session" or row.role != "owner":
        raise problems.Forbidden(
            "Only the signed-in owner can export a workspace.",
            remediation="The owner signs in with `POST /auth/login` and sends that access token.",
        )
    workspaces.require_second_factor(caller, row)
    if caller.session_id is None or not await sign_in.signed_in_lately(db, caller.session_id):
        raise problems.Forbidden(
            "You signed in more than 15 minutes ago.",
            remediation="Sign in again with `POST /auth/login`, and repeat this with the new access token.",
        )


async def request_export(context: AppContext, db: Db, caller: Caller, row: WorkspaceRow) -> WorkspaceExport:
    """Have an export made, instead of the one before, unless that is being made or younger than ten minutes.

    Raises:
        Forbidden, SecondFactorMissing: see `require_owner`.
    """
    await require_owner(db, caller, row)
    former = await db.fetchval(_FORMER, row.id)
    record = await db.fetchrow(_REQUEST, row.id, caller.user_id)
    if record is None:
        return await show_export(context, db, caller, row.id)
    payload = {"workspace": str(row.id)}
    await jobs.enqueue(db, JOB, payload, unique_key=f"{JOB}:{row.id.hex}", workspace_id=row.id)
    if former is not None:
        await jobs.enqueue(db, REMOVE_JOB, {"path": path_of(row.id, former)}, workspace_id=row.id)
    return _view(context, caller, read_export(record))


async def show_export(context: AppContext, db: Db, caller: Caller, workspace_id: UUID) -> WorkspaceExport:
    """Return the newest export to the owner.

    Raises:
        NotFound: nobody asked for one.
    """
    row = await queries.find_export(db, workspace_id)
    if row is None:
        raise problems.NotFound(
            "This workspace has no export.", remediation="`POST /workspaces/{id}/export` has one made."
        )
    return _view(context, caller, row)


def _is_over(row: ExportRow) -> bool:
    """Whether the file is not for anyone any more, even if it is still there."""
    return row.status == "ready" and row.expires_at is not None and row.expires_at <= clock.actual()


def _view(context: AppContext, caller: Caller, row: ExportRow) -> WorkspaceExport:
    if (row.user_id != caller.user_id and row.status == "ready") or _is_over(row):  # the owner before asked for it
        row = msgspec.structs.replace(row, status="expired")
    url = links.create(context.keys, context.base_url, row.workspace_id, row.requested_at)
    return WorkspaceExport(
        workspace_id=ids.encode("wsp", row.workspace_id),
        status=row.status,
        requested_at=clock.wire(row.requested_at),
        finished_at=clock.wire_or_none(row.finished_at),
        expires_at=clock.wire_or_none(row.expires_at),
        size_bytes=row.size_bytes,
        download_url=url if row.status == "ready" else None,
    )


async def make_export(context: AppContext, lease: Lease, workspace_id: UUID) -> bool:
    """Write the file and mail that it is there; return False if others come first.

    Interrupted anywhere, it is made from the start, under the same name. Without room on the disk it fails at once.

    Raises:
        StorageFailure: files cannot be read or written now.
    """
    async with lease.transaction() as db:
        row = await queries.find_export(db, workspace_id)
    if row is None or row.status != "pending":
        return True
    running = context.state(Running).user_ids
    if row.user_id in running or len(running) >= AT_ONCE_MAX:
        return False
    running.add(row.user_id)
    try:
        await _make(context, lease, row)
    finally:
        running.discard(row.user_id)
    return True


async def _make(context: AppContext, lease: Lease, row: ExportRow) -> None:
    workspace_id = row.workspace_id
    async with lease.transaction() as db:
        recipient = await db.fetchrow(_FOR_MAIL, row.user_id, workspace_id)
        size = await db.fetchval(_BYTES, workspace_id)
    if recipient is None:  # deleted meanwhile
        await fail_export(lease, workspace_id)
        return
    async with temporary_folder(context.settings.data_dir) as folder:
        try:
            require_space(folder, size, context.settings.storage_free_bytes_min)
        except problems.Unavailable:
            _log.error("export.no_space", workspace=ids.encode("wsp", workspace_id), bytes=size)
            await fail_export(lease, workspace_id)
            return
        file = folder / "export.tar"
        await write_archive(context, workspace_id, file)
        size = file.stat().st_size
        await context.storage.move(file, path_of(workspace_id, row.requested_at))
    async with lease.transaction() as db:
        if await db.fetchval(_FINISH, workspace_id, row.requested_at, VALID, size):
            values = {
                "workspace": recipient["name"], "link": f"{context.fixed_url}/console/team",
                "until": f"{clock.now() + VALID:%Y-%m-%d %H:%M} UTC",
            }  # fmt: skip
            message = mail.Message(to=recipient["email"], template="export_ready", values=values)
            await mail.enqueue(db, message, workspace_id=workspace_id)


async def fail_export(lease: Lease, workspace_id: UUID) -> None:
    """Note that an export cannot be made."""
    async with lease.transaction() as db:
        await db.execute(_FAIL, workspace_id)


async def expire_exports(context: AppContext, lease: Lease) -> bool:
    """Remove a batch of the files whose time is over; return whether there may be more."""
    async with lease.transaction() as db:
        expired = [tuple(record) for record in await db.fetch(_EXPIRED, _EXPIRED_BATCH)]
    for workspace_id, requested_at in expired:
        await context.storage.delete([path_of(workspace_id, requested_at)])
        async with lease.transaction() as db:
            await db.execute(_EXPIRE, workspace_id, requested_at)
    return len(expired) == _EXPIRED_BATCH


async def erase_export(context: AppContext, lease: Lease, workspace_id: UUID) -> None:
    """Remove the file and the row of an export.

    Raises:
        StorageFailure: the file may still be there; so is the row.
    """
    async with lease.transaction() as db:
        row = await queries.find_export(db, workspace_id)
    if row is None:
        return
    await context.storage.delete([path_of(workspace_id, row.requested_at)])
    async with lease.transaction() as db:
        await db.execute(_DELETE, workspace_id)


async def export_content(context: AppContext, workspace_id: UUID, query: SignedQuery) -> RawResponse:
    """Return the file. Who has the URL is taken for whom it was made for, and history says so.

    Raises:
        NotFound: the URL was not signed by us or has expired, there is another export by now, or whoever asked for it
            does not own the workspace any more.
        Unavailable: the object store does not respond.
    """
    async with context.database.transaction() as db:
        row = await queries.find_export(db, workspace_id)
        if row is None or not links.is_valid(
            context.keys, workspace_id, row.requested_at, query.expires, query.signature
        ):
            raise problems.NotFound("This URL is invalid or has expired. Get the export again for a new one.")
        member = await members.find_of_user(db, workspace_id, row.user_id)
        if row.status != "ready" or _is_over(row) or member is None or member.role != "owner":
            raise problems.NotFound("This export was removed. Ask for another one.")
        actor = audit.user(row.user_id, None)
        await audit.record(db, audit.Entry(workspace_id=workspace_id, action="download_export", actor=actor))
    try:
        opened = await context.storage.open(path_of(workspace_id, row.requested_at))
    except storage.Missing:
        raise problems.NotFound("This export was removed. Ask for another one.") from None
    except storage.StorageFailure as failure:
        raise problems.Unavailable("Files cannot be read right now.", headers={"Retry-After": "10"}) from failure
    name = f"{ids.encode('wsp', workspace_id)}.tar"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"}
    return RawResponse(Stream(opened.pieces, opened.size), "application/x-tar", 200, headers)


def path_of(workspace_id: UUID, requested_at: datetime) -> str:
    """Return where the file of an export is in the storage: none is ever written or removed in place of another."""
    return f"{ids.encode('wsp', workspace_id)}/{FOLDER}/{requested_at:%Y%m%d%H%M%S%f}.tar"
