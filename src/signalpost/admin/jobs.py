"""Background jobs of all workspaces, for staff: what waits, what runs, what failed for good, and running one again."""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.admin.schemas import AdminJob, JobQuery
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import clock, ids
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.kit.problems import InvalidState
from signalpost.kit.wire import Listing
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset

_COLUMNS: Final = """
id, created_at, kind, workspace_id, state, attempts, started_at, next_attempt_at, failed_at, failure_code, last_error
"""
_LIST: Final = f"""
select {_COLUMNS} from job
where ($4::text is null or kind = $4)
    and case $5 when 'failed' then state = 'failed' when 'running' then state = 'waiting' and started_at is not null
        when 'waiting' then state = 'waiting' and started_at is null else true end
    and {keyset("created_at", "id", first=1)}
"""  # noqa: S608 - constants only
_FIND: Final = f"select {_COLUMNS} from job where id = $1"  # noqa: S608 - constants only


class JobRow(NamedTuple):
    """A job, without its payload: that may hold what belongs to a workspace."""

    id: UUID
    created_at: datetime
    kind: str
    workspace_id: UUID | None
    state: str
    attempts: int
    started_at: datetime | None
    next_attempt_at: datetime | None
    failed_at: datetime | None
    failure_code: str | None
    last_error: str | None


async def find(db: Db, _caller: Caller, job_id: UUID) -> JobRow | None:
    """Return a job of any workspace."""
    record = await db.fetchrow(_FIND, job_id)
    return None if record is None else JobRow(*record)


async def list_jobs(context: AppContext, query: JobQuery, page: Page) -> Listing[AdminJob]:
    """Return a page of the jobs of all workspaces, newest first."""
    async with context.database.connection() as db:
        records = await db.fetch(_LIST, *page.bounds, query.kind, query.state, timeout=READ_SECONDS)
    return page.of([JobRow(*record) for record in records], _view)


async def run_job(db: Db, caller: Caller, row: JobRow) -> AdminJob:
    """Have a job run now, with its attempts counted from zero.

    Raises:
        InvalidState: it runs already.
    """
    if not await jobs.run_now(db, row.id):
        raise InvalidState("The job runs already, or has just ended. Read the list again.")
    job_id = ids.encode("job", row.id)
    entry = audit.Entry(workspace_id=audit.INSTALLATION, action="run_job", actor=caller.actor, subject=job_id)
    await audit.record(db, entry)
    return _view(await find(db, caller, row.id) or row)


def _view(row: JobRow) -> AdminJob:
    return AdminJob(
        id=ids.encode("job", row.id),
        kind=row.kind,
        workspace_id=ids.encode_or_none("wsp", row.workspace_id),
        state="failed" if row.state == "failed" else "waiting" if row.started_at is None else "running",
        attempts=row.attempts,
        created_at=clock.wire(row.created_at),
        run_at=clock.wire_or_none(row.next_attempt_at),
        failed_at=clock.wire_or_none(row.failed_at),
        code=row.failure_code,
        error=row.last_error,
    )
