from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity import queries
from signalpost.identity.queries import WorkspaceRow
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState, NotFound
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import WorkspaceId
from signalpost.web.inputs import Mine
from signalpost.web.routing import RawResponse, Routes
from signalpost.workspaces import actions
from signalpost.workspaces.schemas import ExportContentQuery, WorkspaceDeleteQuery, WorkspaceDeletion, WorkspaceExport

routes = Routes("Identity")

MyWorkspace = Annotated[WorkspaceRow, Mine(WorkspaceId, queries.find_my_workspace)]


@routes.delete("/workspaces/{id}", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, InvalidState))
async def delete_workspace(
    workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext, query: WorkspaceDeleteQuery
) -> WorkspaceDeletion:
    """Delete a workspace that you own; `name` confirms it. API keys cannot do this.

    Nobody gets in any more and nothing is published. For 30 days the operator can restore it; after that posts, files,
    accounts, members, keys and history are erased. Records of billing stay, without what people wrote.
    """
    return await actions.delete_workspace(context, db, caller, workspace, query.name)


@routes.post("/workspaces/{id}/export", scope=SIGNED_IN, status=202, across_workspaces=True, raises=(Forbidden,))
async def export_workspace(workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext) -> WorkspaceExport:
    """Have everything that a workspace has put into one file; only its owner, within 15 minutes of signing in.

    A mail says when it is ready. It has no secrets, replaces the export before, and is removed after seven days. One
    that is being made, or is younger than ten minutes, is returned as it is.
    """
    return await actions.request_export(context, db, caller, workspace)


@routes.get("/workspaces/{id}/export", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, NotFound))
async def get_workspace_export(workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext) -> WorkspaceExport:
    """Return the newest export of a workspace, with a signed URL of its file; under the same conditions.

    The URL ends before its hour with the ownership, and with a new password; ask for another export then.
    """
    await actions.require_owner(db, caller, workspace)
    return await actions.show_export(context, db, caller, workspace.id)


@routes.get(
    "/workspaces/{id}/export/content",
    scope=PUBLIC,
    unlimited=True,
    across_workspaces=True,
    documented_response={"application/x-tar": {"schema": {"type": "string", "format": "binary"}}},
)
async def get_workspace_export_content(
    workspace_id: WorkspaceId, query: ExportContentQuery, context: AppContext
) -> RawResponse:
    """Return the file of an export. `downloadUrl` points here; it needs no credential."""
    return await actions.export_content(context, workspace_id, query)
