"""General jobs: work that has no row of its own elsewhere (mail, purge, token refresh, media).

A job may run more than once: a worker can die between the effect of a job and its end. Each queue and workspace has a
lane of its own, so that neither a slow kind of job nor one tenant's burst holds up others. A finished job is deleted.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID, uuid5

from msgspec import Struct

from signalpost.engine.contract import Done, Lease, LeaseLost, Source
from signalpost.engine.wake import wake_sql
from signalpost.kit import batches, ids, log, tracing
from signalpost.kit.db import Db
from signalpost.kit.problems import Unavailable

_log = log.get("engine")

RETRY_SECONDS = (10.0, 60.0, 300.0, 1800.0)
"""Delays after the first failures, up to 10 % longer; the failure after the last one is final."""
CRASHES_MAX = 3
CRASH_PERIODIC_SECONDS = 3600.0
"""How long a periodic job pauses after it crashed the worker three times; it is never given up."""
ERROR_CHARACTERS_MAX = 500

_LANES = UUID("6c6a1d3e-4f0b-5d6e-9a5d-0c4de5a9f001")

_WAKE = wake_sql("job", keys="array[queue]", due="array[next_attempt_at]", workspace_id="workspace_id")
_ENQUEUE = "select enqueue_job($1, $2, $3, $4, $5, $6, $7)"  # in the migrations
_ENSURE = f"""
with written as (
    insert into job (id, queue, kind, unique_key, next_attempt_at) select $1, $2, $3, $3, now()
    where not exists (select from job where unique_key = $3)  -- looks first: waits for no worker that has it
    on conflict (unique_key) do nothing returning queue, workspace_id, next_attempt_at
)
select {_WAKE} from written
"""  # noqa: S608 - constants only
# A start time that is still set belongs to an attempt that never ended: the worker died during it.
_DUE = """
with picked as (
    select j.id from unnest($1::uuid[]) as k(key) cross join lateral (
        select id from job where queue = k.key and next_attempt_at <= now() order by next_attempt_at limit $2
        for no key update skip locked) j
)
update job j set attempts = attempts + 1, started_at = now(),
    crashes = case when started_at is null then 0 else crashes + 1 end
from picked p where j.id = p.id
returning j.queue, j.id, j.kind, j.payload, j.workspace_id, j.attempts, j.crashes, j.revision
"""
# A transaction that enqueues a running job again holds its row until commit; its queue then has to wait for it.
_BUSY = """
with free as materialized (select id from job where id = any($1) order by id for update skip locked)
select queue from job where id = any($1) and id not in (select id from free)
"""
# A job that was enqueued again while it ran (another revision) stays due: what it did may be outdated.
_FINISH = """
delete from job using unnest($1::uuid[], $2::int[]) as d(id, revision)
where job.id = d.id and job.revision = d.revision
"""
_RESCHEDULE = """
update job set started_at = null, attempts = case when d.attempted then attempts else 0 end, last_error = d.error,
    next_attempt_at = case when job.revision = d.revision or d.attempted
        then now() + make_interval(secs => d.seconds) else next_attempt_at end
from unnest($1::uuid[], $2::int[], $3::float8[], $4::bool[], $5::text[]) as d(id, revision, seconds, attempted, error)
where job.id = d.id
"""
_FAIL = """
update job set started_at = null, next_attempt_at = null, unique_key = null, state = 'failed', failed_at = now(),
    failure_code = d.code, last_error = d.error
from unnest($1::uuid[], $2::text[], $3::text[]) as d(id, code, error) where job.id = d.id
"""
_OPEN_KEYS = "select unique_key from job where unique_key = any($1)"  # a job that failed for good has none any more
_HAND_BACK = "update job set started_at = null, attempts = greatest(0, attempts - 1) where id = any($1)"

_RUN_NOW = f"""
with written as (
    update job set state = 'waiting', attempts = 0, crashes = 0, next_attempt_at = now(), failed_at = null,
        failure_code = null
    where id = $1 and started_at is null returning queue, workspace_id, next_attempt_at
)
select {_WAKE} from written
"""  # noqa: S608 - constants only
_PURGE_FAILED = batches.delete("job", "state = 'failed' and failed_at < now() - interval '30 days'")
_PURGE_LANES = f"""
delete from lane where ctid = any(array(
    select ctid from lane where kind = 'job' and owner is null and next_due_at is null
        and (not_before is null or not_before < now() - interval '1 day')
    limit {batches.ROWS} for update skip locked))
"""  # noqa: S608 - a constant


class RunAgain(Struct, frozen=True):
    """Returned by a handler to be run again later, like a new job: its attempts are counted from zero."""

    after_seconds: float


Handler: TypeAlias = Callable[[Lease, Mapping[str, Any]], Awaitable[RunAgain | None]]
GivenUp: TypeAlias = Callable[[Lease, Mapping[str, Any], Exception | None], Awaitable[None]]


class JobKind(NamedTuple):
    """A kind of job with its handler; `jobs(context)` in a room's `work` returns a list of these.

    With `every_seconds` the job is periodic: one row, which runs again this many seconds after the end of each run.
    `given_up` is called once when a job failed for good, with its last exception, or None if it crashed the worker: to
    tell those who wait for it. If it fails itself, the job is given up again later.
    """

    kind: str
    handler: Handler
    every_seconds: float | None = None
    given_up: GivenUp | None = None


class Job(NamedTuple):
    id: UUID
    kind: str
    payload: dict[str, Any]
    workspace_id: UUID | None
    attempts: int
    crashes: int
    revision: int


class Retry(Struct, frozen=True):
    after_seconds: float
    error: str


class Failed(Struct, frozen=True):
    code: str
    error: str


class Finished(Struct, frozen=True):
    pass


JobResult: TypeAlias = Finished | RunAgain | Retry | Failed


async def enqueue(
    db: Db,
    kind: str,
    payload: Mapping[str, Any],
    *,
    queue: str | None = None,
    run_at: datetime | None = None,
    unique_key: str | None = None,
    workspace_id: UUID | None = None,
) -> UUID:
    """Write a job, in the caller's transaction; return its id.

    Args:
        db: a connection inside the transaction that makes the job necessary.
        kind: which handler runs it.
        payload: JSON; ids rather than copies, no secrets.
        queue: jobs of one queue (and workspace) share a lane; defaults to the kind.
        run_at: not before; defaults to now.
        unique_key: if an open job with this key exists, it gets the new payload, runs at the earlier of both times, and
            once more if it is running right now.
        workspace_id: None for jobs of the installation.
    """
    lane = uuid5(_LANES, f"{queue or kind}/{workspace_id or ''}")
    values = (ids.new_id(), lane, kind, workspace_id, dict(payload), unique_key, run_at)
    job_id: UUID = await db.fetchval(_ENQUEUE, *values)
    return job_id


async def open_keys(db: Db, unique_keys: Sequence[str]) -> set[str]:
    """Return which of these keys belong to jobs that wait or run."""
    return {row[0] for row in await db.fetch(_OPEN_KEYS, unique_keys)}


async def run_now(db: Db, job_id: UUID) -> bool:
    """Make a job due that waits, or that failed for good, with its attempts counted from zero; False if it runs."""
    return bool(await db.fetch(_RUN_NOW, job_id))


class Jobs(Source[Job, JobResult]):
    """The source of general jobs. `main` registers the handlers before the engine starts."""

    kind = "job"
    table = "job"
    key_column = "queue"
    per_lane = 8
    parallel = 8  # equal: a claimed job starts at once, so the claim may count the attempt
    pauses_on_clock_step = False

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}
        self._every: dict[str, float] = {}
        self._given_up: dict[str, GivenUp] = {}
        self.register("engine.purge", _purge, every_seconds=3600)

    def register(
        self, kind: str, handler: Handler, every_seconds: float | None = None, given_up: GivenUp | None = None
    ) -> None:
        """Have `handler` run jobs of this kind; the arguments are those of `JobKind`."""
        self._handlers[kind] = handler
        if given_up is not None:
            self._given_up[kind] = given_up
        if every_seconds is not None:
            self._every[kind] = every_seconds

    async def ensure_periodic(self, db: Db) -> None:
        """Write the missing rows of periodic jobs. Called at the start of every worker."""
        for kind in self._every:
            await db.execute(_ENSURE, ids.new_id(), uuid5(_LANES, f"{kind}/"), kind)

    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, Job]]:
        """See `Source`. Counts the attempts."""
        rows = await db.fetch(_DUE, [lease.key for lease in leases], per_lane)
        return [(row[0], Job(*row[1:])) for row in rows]

    async def run(self, lease: Lease, item: Job) -> JobResult:
        """See `Source`."""
        with tracing.Recorded(f"job {item.kind}", {"signalpost.job.id": ids.encode("job", item.id)}) as span:
            result, error = await self._handle(lease, item)
            if span is not None and isinstance(result, Retry | Failed):
                span.fail("failed" if error is None else type(error).__name__)
        if isinstance(result, Failed) and (tell := self._given_up.get(item.kind)) is not None:
            result = await self._tell(tell, lease, item, error) or result
        lease.count({Retry: "retrying", Failed: "failed"}.get(type(result), "done"))
        return result

    async def _handle(self, lease: Lease, job: Job) -> tuple[JobResult, Exception | None]:
        """Run the handler; return the result, and the exception that it follows from."""
        if job.crashes >= CRASHES_MAX:
            reason = f"the worker died {job.crashes} times while the job ran"
            return self._give_up(job, "crashed", reason, CRASH_PERIODIC_SECONDS), None
        handler = self._handlers.get(job.kind)
        if handler is None:
            return self._failure(job, "unknown_kind", "this version has no handler for this kind"), None
        try:
            run_again = await handler(lease, job.payload)
        except (LeaseLost, Unavailable):
            raise
        except Exception as error:  # noqa: BLE001 - a failed job is retried, whatever failed
            _log.warning(
                "job.failed", kind=job.kind, job=ids.encode("job", job.id), attempt=job.attempts, exc_info=error
            )
            return self._failure(job, "failed", repr(error)), error
        if run_again is None and job.kind in self._every:
            return RunAgain(self._every[job.kind]), None
        return run_again or Finished(), None

    @staticmethod
    async def _tell(tell: GivenUp, lease: Lease, job: Job, error: Exception | None) -> JobResult | None:
        """Tell that a job failed for good; return what becomes of it if that fails too."""
        try:
            await tell(lease, job.payload, error)
        except (LeaseLost, Unavailable):
            raise
        except Exception as failure:  # noqa: BLE001 - tried again later, whatever failed
            _log.warning(
                "job.failed", kind=job.kind, job=ids.encode("job", job.id), attempt=job.attempts, exc_info=failure
            )
            return Retry(RETRY_SECONDS[-1], repr(failure)[:ERROR_CHARACTERS_MAX])
        return None

    def _failure(self, job: Job, code: str, error: str) -> JobResult:
        if job.attempts <= len(RETRY_SECONDS):
            jitter = 1 + job.id.int % 101 / 1000
            return Retry(RETRY_SECONDS[job.attempts - 1] * jitter, error[:ERROR_CHARACTERS_MAX])
        return self._give_up(job, code, error, 0.0)

    def _give_up(self, job: Job, code: str, error: str, pause_seconds: float) -> JobResult:
        """Give up for good; a periodic job only until its next run."""
        _log.error("job.gave_up", kind=job.kind, job=ids.encode("job", job.id), code=code, error=error)
        if job.kind in self._every:
            return RunAgain(max(self._every[job.kind], pause_seconds))
        return Failed(code, error[:ERROR_CHARACTERS_MAX])

    async def settle(self, db: Db, done: Sequence[Done[Job, JobResult]]) -> Collection[UUID]:
        """See `Source`."""
        busy = {row[0] for row in await db.fetch(_BUSY, [ended.item.id for ended in done])}
        finished: list[tuple[Any, ...]] = []
        rescheduled: list[tuple[Any, ...]] = []
        failed: list[tuple[Any, ...]] = []
        for ended in done:
            if ended.key in busy:
                continue
            job = ended.item
            match ended.result or self._failure(job, "failed", repr(ended.error)):
                case Finished():
                    finished.append((job.id, job.revision))
                    # Changes nothing unless the job was enqueued again meanwhile: otherwise its row is gone.
                    rescheduled.append((job.id, job.revision, 0.0, False, None))
                case RunAgain(after_seconds):
                    rescheduled.append((job.id, job.revision, after_seconds, False, None))
                case Retry(after_seconds, error):
                    rescheduled.append((job.id, job.revision, after_seconds, True, error))
                case Failed(code, error):
                    failed.append((job.id, code, error))
        for statement, rows in ((_FINISH, finished), (_RESCHEDULE, rescheduled), (_FAIL, failed)):
            if rows:
                await db.execute(statement, *(list(column) for column in zip(*rows, strict=True)))
        return busy

    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, Job]]) -> None:
        """See `Source`."""
        await db.execute(_HAND_BACK, [job.id for _, job in items])


async def _purge(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
    """Delete jobs that failed a month ago, and lanes of queues and workspaces without jobs."""
    async with lease.transaction() as db:
        return RunAgain(0) if await batches.run(db, (_PURGE_FAILED, _PURGE_LANES)) else None
