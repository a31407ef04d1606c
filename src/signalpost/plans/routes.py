from signalpost.kit.db import Db
from signalpost.plans import usage
from signalpost.plans.schemas import Usage
from signalpost.web.caller import SIGNED_IN, Caller
from signalpost.web.routing import Routes

routes = Routes("Identity")


@routes.get("/auth/usage", scope=SIGNED_IN)
async def get_usage(db: Db, caller: Caller) -> Usage:
    """Return what the workspace uses of its plan this month, its limits, and the daily quotas of its accounts."""
    return await usage.usage(db, caller)
