from signalpost.kit.db import Db
from signalpost.plans import queries, views
from signalpost.plans.actions import this_month
from signalpost.plans.schemas import Usage
from signalpost.web.caller import SIGNED_IN, Caller
from signalpost.web.routing import Routes

routes = Routes("Identity")


@routes.get("/auth/usage", scope=SIGNED_IN)
async def get_usage(db: Db, caller: Caller) -> Usage:
    """Return what the workspace uses of its plan this month, its limits, and the daily quotas of its accounts."""
    month = this_month()
    used = await queries.usage(db, caller.workspace_id, month)
    return views.usage(caller, month, used=used, quotas=await queries.account_quotas(db, caller))
