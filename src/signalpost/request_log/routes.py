"""The request log over HTTP."""

from signalpost.context import AppContext
from signalpost.kit.wire import Listing
from signalpost.request_log import queries, views
from signalpost.request_log.errors import PeriodTooLong
from signalpost.request_log.schemas import LoggedRequest, RequestLogQuery
from signalpost.web.caller import SIGNED_IN, Caller
from signalpost.web.paging import Page
from signalpost.web.routing import Routes

routes = Routes("Request log")


@routes.get("/logs/requests", scope=SIGNED_IN, raises=(PeriodTooLong,))
async def list_requests(
    context: AppContext, caller: Caller, query: RequestLogQuery, page: Page
) -> Listing[LoggedRequest]:
    """List the API calls of the workspace in the last seven days, newest first.

    Owners and admins who see all profiles, and their live keys with `team:read`, see all calls; everyone else sees
    their own, and an API key its own. A call appears within two seconds. Not listed: calls of this operation, and
    requests without a valid credential.
    """
    rows = await queries.page_of(context, caller, query, page)
    return page.of(rows, views.logged_request, position=lambda row: (row.at, row.id))
