from typing import Annotated

from signalpost.admin import actions, backups, directory, jobs, pauses, payments, sync, system
from signalpost.admin.jobs import JobRow
from signalpost.admin.pauses import PauseRow
from signalpost.admin.schemas import (
    AdminBackup,
    AdminJob,
    AdminQueue,
    AdminUser,
    AdminWorkspace,
    DifferenceId,
    DueMetricsSync,
    JobId,
    JobQuery,
    MailTest,
    MetricsSync,
    Pause,
    PauseEnd,
    PauseId,
    PaymentDifference,
    Stats,
    SyncStart,
    System,
    TestMail,
    UserQuery,
    WorkspaceQuery,
)
from signalpost.billing.differences import DifferenceRow
from signalpost.billing.errors import BillingDisabled, BillingNotConfigured, PaymentFailed
from signalpost.context import AppContext
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InsufficientScope, InvalidState, NotFound, Unauthenticated, Unavailable
from signalpost.kit.wire import Listing
from signalpost.publishing.errors import InvalidQueueSecret
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.inputs import Mine
from signalpost.web.paging import Page
from signalpost.web.request import Request
from signalpost.web.routing import Routes

routes = Routes("Administration")

AnyJob = Annotated[JobRow, Mine(JobId, jobs.find)]
AnyDifference = Annotated[DifferenceRow, Mine(DifferenceId, payments.find)]
AnyPause = Annotated[PauseRow, Mine(PauseId, pauses.find)]

_SELF, _DUE, _TICK = MailTest(), SyncStart(), DueMetricsSync()


@routes.get("/admin/stats", scope="instance:admin", across_workspaces=True)
async def get_stats(context: AppContext) -> Stats:
    """Return figures of the whole installation. For staff.

    It is cheap however much is stored: tables with more than 20,000 rows are counted by a sample, and `estimated` says
    which; other numbers have a maximum.
    """
    return await actions.read_stats(context)


@routes.get("/admin/queue", scope="instance:admin", across_workspaces=True)
async def get_admin_queue(context: AppContext) -> AdminQueue:
    """Return the queue of all workspaces, its workers, and up to 100 targets that are due. For staff."""
    return await actions.read_queue(context)


@routes.get("/admin/workspaces", scope="instance:admin", across_workspaces=True)
async def list_all_workspaces(context: AppContext, query: WorkspaceQuery, page: Page) -> Listing[AdminWorkspace]:
    """List the workspaces of the installation, newest first. For staff."""
    return await directory.list_workspaces(context, query, page)


@routes.get("/admin/users", scope="instance:admin", across_workspaces=True)
async def list_all_users(context: AppContext, query: UserQuery, page: Page) -> Listing[AdminUser]:
    """List the users of the installation, newest first. For staff."""
    return await directory.list_users(context, query, page)


@routes.get("/admin/jobs", scope="instance:admin", across_workspaces=True)
async def list_jobs(context: AppContext, query: JobQuery, page: Page) -> Listing[AdminJob]:
    """List background jobs, newest first: what waits, what runs, and what failed for good. For staff.

    A job is tried five times within about 40 minutes before it fails for good. What it is about is not shown.
    """
    return await jobs.list_jobs(context, query, page)


@routes.post(
    "/admin/jobs/{id}/run", scope="instance:admin", across_workspaces=True, history="action", raises=(InvalidState,)
)
async def run_job(job: AnyJob, db: Db, caller: Caller) -> AdminJob:
    """Have a job run now: one that failed for good, or that waits. For staff.

    Its attempts are counted from zero. A job may run more than once, so this is safe whatever became of it before.
    """
    return await jobs.run_job(db, caller, job)


@routes.get("/admin/pauses", scope="instance:admin", across_workspaces=True)
async def list_pauses(context: AppContext, page: Page) -> Listing[Pause]:
    """List what is due and kept back, the longest first. For staff.

    An account waits as long as its network asks, a webhook or queue of jobs after an unexpected error, and all accounts
    of an app when its network answers 429 for the app. All of them go on by themselves.
    """
    return await pauses.list_pauses(context, page)


@routes.delete("/admin/pauses/{id}", scope="instance:admin", across_workspaces=True, history="action")
async def end_pause(pause: AnyPause, db: Db, caller: Caller) -> PauseEnd:
    """End a pause, so that what is due is tried within a second or two. For staff.

    A network that asked to wait may refuse again, and for longer.
    """
    return await pauses.end_pause(db, caller, pause)


@routes.get("/admin/payments/differences", scope="instance:admin", across_workspaces=True)
async def list_payment_differences(context: AppContext, page: Page) -> Listing[PaymentDifference]:
    """List differences between what the provider of payments charges for and what workspaces have. For staff.

    They are compared each night. What is repaired by reading again is listed too, with its `solution`.
    """
    return await payments.list_differences(context, page)


@routes.post(
    "/admin/payments/differences/{id}/repair",
    scope="instance:admin",
    across_workspaces=True,
    status=200,
    history="action",
    raises=(BillingDisabled, BillingNotConfigured, InvalidState, PaymentFailed, Unavailable),
)
async def repair_payment_difference(
    difference: AnyDifference, context: AppContext, caller: Caller
) -> PaymentDifference:
    """Repair a difference. For staff.

    `unknown_workspace` and `several`: the subscription ends, and its last payment is given back. `not_served` and
    `served_unpaid`: it is read again, and the workspace gets the plan that is paid.
    """
    return await payments.repair_difference(context, caller, difference)


@routes.post(
    "/admin/payments/differences/{id}/leave",
    scope="instance:admin",
    across_workspaces=True,
    status=200,
    history="action",
    raises=(InvalidState,),
)
async def leave_payment_difference(difference: AnyDifference, context: AppContext, caller: Caller) -> PaymentDifference:
    """Leave a difference as it is: it is right so, and is not shown again. For staff.

    So is a customer of another installation with the same account of the provider.
    """
    return await payments.leave_difference(context, caller, difference)


@routes.get("/admin/backups", scope="instance:admin", across_workspaces=True)
async def list_backups(context: AppContext, page: Page) -> Listing[AdminBackup]:
    """List the backups that `signalpost backup` made or tried to make, newest first. For staff.

    The newest 50 that succeeded are kept, and the newest 50 others. Copies made by other tools are not known here, and
    a restored instance knows of none.
    """
    return await backups.list_backups(context, page)


@routes.get("/admin/system", scope="instance:admin", across_workspaces=True)
async def get_system(context: AppContext) -> System:
    """Return what runs: the versions, the processes, and how old the newest backup is. For staff."""
    return await system.read_system(context)


@routes.post("/admin/email/test-welcome", scope="instance:admin", across_workspaces=True)
async def send_test_mail(context: AppContext, caller: Caller, data: MailTest = _SELF) -> TestMail:
    """Send the mail that new users get, to see whether mail works; by default to yourself. For staff."""
    return await actions.test_welcome(context, caller, data)


@routes.post("/admin/sync-metrics", scope="instance:admin", across_workspaces=True)
async def sync_metrics(db: Db, data: SyncStart = _DUE) -> MetricsSync:
    """Have the numbers of published posts collected soon; at most 1,000 targets, the newest first. For staff.

    Without `force`, targets whose numbers were collected within the hour are skipped. Without a profile, account or
    post, all numbers are collected that are due, as the engine does by itself.
    """
    return await sync.sync_metrics(db, data)


@routes.post(
    "/admin/sync-metrics-cron",
    scope=PUBLIC,
    unlimited=True,
    across_workspaces=True,
    history="nothing",
    raises=(Unauthenticated, InsufficientScope, InvalidQueueSecret, KeyRevoked, TokenExpired, Forbidden, NotFound),
)
async def sync_due_metrics(context: AppContext, db: Db, request: Request, data: DueMetricsSync = _TICK) -> MetricsSync:  # noqa: ARG001 - an unknown field is refused
    """Have all numbers collected that are due, with the operator's secret in `X-Queue-Secret`, or as staff.

    The engine does this by itself every ten minutes. Any number of calls at the same time is safe.
    """
    return await sync.sync_due(context, db, request.headers.get)
