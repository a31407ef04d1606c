"""Health checks, for load balancers and people."""

from signalpost.context import AppContext
from signalpost.kit.problems import Unavailable
from signalpost.status import queries
from signalpost.status.schemas import ApiHealth, DatastoreHealth
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Routes

routes = Routes("Health")


@routes.get("/healthz/api", scope=PUBLIC, unlimited=True)
async def check_api(context: AppContext) -> ApiHealth:
    """Tell whether the service answers and works in time.

    `degraded` with `reasons` when work is overdue for more than five minutes, no engine runs, or the database is gone.
    """
    return await queries.api_health(context)


@routes.get("/healthz/datastore", scope=PUBLIC, unlimited=True, raises=(Unavailable,))
async def check_datastore(context: AppContext) -> DatastoreHealth:
    """Tell whether the database answers, how fast, and whether its schema is current."""
    return await queries.datastore_health(context)
