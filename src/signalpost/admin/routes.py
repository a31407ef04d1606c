from signalpost.admin import actions, sync
from signalpost.admin.schemas import AdminQueue, MetricsSync, Stats, SyncRequest, SyncTick, TestMail, TestWelcome
from signalpost.context import AppContext
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InsufficientScope, NotFound, Unauthenticated
from signalpost.publishing.errors import InvalidQueueSecret
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.request import Request
from signalpost.web.routing import Routes

routes = Routes("Administration")

_SELF, _DUE, _TICK = TestWelcome(), SyncRequest(), SyncTick()


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


@routes.post("/admin/email/test-welcome", scope="instance:admin", across_workspaces=True)
async def send_test_mail(context: AppContext, caller: Caller, data: TestWelcome = _SELF) -> TestMail:
    """Send the mail that new users get, to see whether mail works; by default to yourself. For staff."""
    return await actions.test_welcome(context, caller, data)


@routes.post("/admin/sync-metrics", scope="instance:admin", across_workspaces=True)
async def sync_metrics(db: Db, data: SyncRequest = _DUE) -> MetricsSync:
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
async def sync_due_metrics(context: AppContext, db: Db, request: Request, data: SyncTick = _TICK) -> MetricsSync:  # noqa: ARG001 - an unknown field is refused
    """Have all numbers collected that are due, with the operator's secret in `X-Queue-Secret`, or as staff.

    The engine does this by itself every ten minutes. Any number of calls at the same time is safe.
    """
    return await sync.sync_due(context, db, request.headers.get)
