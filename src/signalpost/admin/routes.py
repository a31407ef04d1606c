from signalpost.admin import actions
from signalpost.admin.schemas import AdminQueue, Stats, TestMail, TestWelcome
from signalpost.context import AppContext
from signalpost.web.caller import Caller
from signalpost.web.routing import Routes

routes = Routes("Administration")

_SELF = TestWelcome()


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
