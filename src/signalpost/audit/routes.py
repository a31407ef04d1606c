from signalpost.audit import queries, views
from signalpost.audit.schemas import AuditLogEntry, AuditQuery
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden
from signalpost.kit.wire import Listing
from signalpost.web.caller import Caller
from signalpost.web.paging import Page
from signalpost.web.routing import Routes

routes = Routes("Audit log")


@routes.get("/audit", scope="team:read", raises=(Forbidden,))
async def list_audit(db: Db, caller: Caller, query: AuditQuery, page: Page) -> Listing[AuditLogEntry]:
    """List what was changed in the workspace, by whom and from where, newest first.

    For owners and admins who see all profiles, and for their live keys. Entries outlive what they tell of.
    """
    if caller.role not in ("owner", "admin") or caller.profile_ids is not None or caller.mode != "live":
        raise Forbidden("The audit log of a workspace is for owners and admins who see all of it.")
    rows = await queries.page_of(db, caller, query, page)
    return page.of(rows, views.entry, position=lambda row: (row.written_at, row.id))
