"""Health checks over HTTP, for load balancers and people."""

from signalpost.context import AppContext
from signalpost.health import queries, views
from signalpost.health.queries import DatabaseSlow, DatabaseUnreachable
from signalpost.health.schemas import ApiHealth, DatastoreHealth
from signalpost.kit.problems import Unavailable
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Routes

routes = Routes("Health")


@routes.get("/healthz/api", scope=PUBLIC, unlimited=True, across_workspaces=True, cached_seconds=1)
async def check_api(context: AppContext) -> ApiHealth:
    """Check that the service responds and does its work on time.

    `degraded` with `reasons` if work is overdue by more than five minutes, no engine is running, or the database is
    unreachable, slow, read-only or full. The response may be a second old.
    """
    try:
        engine = await queries.engine_status(context)
    except DatabaseUnreachable:
        return views.api_health(None, [views.DATABASE_UNREACHABLE], version=context.version)
    except DatabaseSlow:
        return views.api_health(None, [views.DATABASE_SLOW], version=context.version)
    problem = await queries.write_problem(context)
    reasons = [*([problem] if problem else []), *views.reasons_of(engine)]
    return views.api_health(engine, reasons, version=context.version)


@routes.get(
    "/healthz/datastore", scope=PUBLIC, unlimited=True, across_workspaces=True, cached_seconds=1, raises=(Unavailable,)
)
async def check_datastore(context: AppContext) -> DatastoreHealth:
    """Check that the database responds and accepts changes, how fast, and that its schema is current.

    The response may be a second old.
    """
    return views.datastore_health(await queries.datastore_status(context), revision=context.revision)
