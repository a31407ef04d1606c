"""Health checks over HTTP, for load balancers and people."""

from signalpost.context import AppContext
from signalpost.kit.problems import Unavailable
from signalpost.status import queries, views
from signalpost.status.queries import DatabaseUnreachable
from signalpost.status.schemas import ApiHealth, DatastoreHealth
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Routes

routes = Routes("Health")


@routes.get("/healthz/api", scope=PUBLIC, unlimited=True, cached_seconds=1)
async def check_api(context: AppContext) -> ApiHealth:
    """Check that the service responds and does its work on time.

    `degraded` with `reasons` if work is overdue by more than five minutes, no engine is running, or the database is
    unreachable. The response may be a second old.
    """
    try:
        engine = await queries.engine_status(context)
    except DatabaseUnreachable:
        return views.api_health(None, [views.DATABASE_UNREACHABLE], version=context.version)
    return views.api_health(engine, views.reasons_of(engine), version=context.version)


@routes.get("/healthz/datastore", scope=PUBLIC, unlimited=True, cached_seconds=1, raises=(Unavailable,))
async def check_datastore(context: AppContext) -> DatastoreHealth:
    """Check that the database responds, how fast, and that its schema is current. The response may be a second old."""
    return views.datastore_health(await queries.datastore_status(context), revision=context.revision)
