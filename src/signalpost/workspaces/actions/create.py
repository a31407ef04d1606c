"""Creating another workspace."""

from typing import Final

from signalpost.context import AppContext
from signalpost.identity import queries, views
from signalpost.identity.actions import sign_up
from signalpost.identity.schemas import Workspace
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.workspaces.schemas import WorkspaceCreate

WORKSPACES_MAX: Final = 50


async def create_workspace(context: AppContext, db: Db, caller: Caller, data: WorkspaceCreate) -> Workspace:
    """Create another workspace, owned by the caller.

    Raises:
        Forbidden: an API key belongs to one workspace and cannot create others.
        FreeWorkspacesReached: where plans are sold, the user owns as many free ones as one may.
        TooManyItems: where none are sold, the user owns 50.
    """
    if caller.auth != "session":
        raise problems.Forbidden(
            "An API key belongs to one workspace, so it cannot create another.",
            remediation="Sign in with `POST /auth/login` and send its access token.",
        )
    if data.timezone is not None:
        sign_up.validate_time_zone(data.timezone)
    await sign_up.require_free_place(context, db, caller.user_id)
    if not context.settings.billing_enabled and await queries.count_owned(db, caller.user_id) >= WORKSPACES_MAX:
        raise problems.TooManyItems(
            f"A user can own at most {WORKSPACES_MAX} workspaces.", remediation="Use a profile of an existing one."
        )
    workspace_id, _ = await sign_up.create_workspace(
        context, db, user_id=caller.user_id, name=data.name, timezone=data.timezone
    )
    row = next(row for row in await queries.workspaces_of(db, caller.user_id) if row.id == workspace_id)
    return views.workspace(context.settings, row)
