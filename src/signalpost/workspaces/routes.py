from functools import partial
from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity import queries, views
from signalpost.identity.errors import (
    FreeWorkspacesReached,
    InvalidCredentials,
    LoginThrottled,
    SecondFactorRequired,
)
from signalpost.identity.queries import WorkspaceRow
from signalpost.identity.schemas import Workspace
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState, NotFound, TooManyItems
from signalpost.kit.wire import Listing
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import SignedQuery, WorkspaceId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import RawResponse, Routes
from signalpost.workspaces.actions import create, delete, delete_person, export, update
from signalpost.workspaces.errors import LastAdministrator, OwnsWorkspaces
from signalpost.workspaces.schemas import (
    MeDelete,
    WorkspaceCreate,
    WorkspaceDeleteQuery,
    WorkspaceDeletion,
    WorkspaceExport,
    WorkspaceUpdate,
)

routes = Routes("Identity")

MyWorkspace = Annotated[WorkspaceRow, Mine(WorkspaceId, queries.find_my_workspace)]


@routes.get("/workspaces", scope=SIGNED_IN, across_workspaces=True, before_second_factor=True, limit_default=LIST_ALL)
async def list_workspaces(db: Db, caller: Caller, page: Page, context: AppContext) -> Listing[Workspace]:
    """List the workspaces you are a member of, newest first. An API key sees only its own."""
    return page.of(await queries.workspaces_page(db, caller, page), partial(views.workspace, context.settings))


@routes.post(
    "/workspaces", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, FreeWorkspacesReached, TooManyItems)
)
async def create_workspace(db: Db, caller: Caller, context: AppContext, data: WorkspaceCreate) -> Workspace:
    """Create another workspace with a default profile. You become its owner. API keys cannot do this.

    Where plans are sold, one user owns at most three with the plan `free` (SIGNALPOST_FREE_WORKSPACES_PER_OWNER).
    """
    return await create.create_workspace(context, db, caller, data)


@routes.patch("/workspaces/{id}", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, InvalidState))
async def update_workspace(
    workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext, data: WorkspaceUpdate
) -> Workspace:
    """Change the name, time zone, redirect addresses or second factor of a workspace that you own or administer.

    API keys cannot do this.
    """
    return views.workspace(context.settings, await update.update_workspace(context, db, caller, workspace, data))


@routes.delete("/workspaces/{id}", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, InvalidState))
async def delete_workspace(
    workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext, query: WorkspaceDeleteQuery
) -> WorkspaceDeletion:
    """Delete a workspace that you own; `name` confirms it. API keys cannot do this.

    Nobody gets in any more and nothing is published. For 30 days the operator can restore it; after that posts, files,
    accounts, members, keys and history are erased. Records of billing stay, without what people wrote.
    """
    return await delete.delete_workspace(context, db, caller, workspace, query.name)


@routes.post("/workspaces/{id}/export", scope=SIGNED_IN, status=202, across_workspaces=True, raises=(Forbidden,))
async def export_workspace(workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext) -> WorkspaceExport:
    """Have everything that a workspace has put into one file; only its owner, within 15 minutes of signing in.

    A mail says when it is ready. It has no secrets, replaces the export before, and is removed after seven days. One
    that is being made, or is younger than ten minutes, is returned as it is.
    """
    return await export.request_export(context, db, caller, workspace)


@routes.get("/workspaces/{id}/export", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, NotFound))
async def get_workspace_export(workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext) -> WorkspaceExport:
    """Return the newest export of a workspace, with a signed URL of its file; under the same conditions.

    The URL ends before its hour with the ownership, and with a new password; ask for another export then.
    """
    await export.require_owner(db, caller, workspace)
    return await export.show_export(context, db, caller, workspace.id)


@routes.get(
    "/workspaces/{id}/export/content",
    scope=PUBLIC,
    unlimited=True,
    across_workspaces=True,
    documented_response={"application/x-tar": {"schema": {"type": "string", "format": "binary"}}},
)
async def get_workspace_export_content(
    workspace_id: WorkspaceId, query: SignedQuery, context: AppContext
) -> RawResponse:
    """Return the file of an export. `downloadUrl` points here; it needs no credential."""
    return await export.export_content(context, workspace_id, query)


@routes.post(
    "/auth/me/delete",
    scope=SIGNED_IN,
    across_workspaces=True,
    before_second_factor=True,
    status=204,
    history="action",
    raises=(
        Forbidden, InvalidCredentials, InvalidState, LastAdministrator, LoginThrottled, OwnsWorkspaces,
        SecondFactorRequired,
    ),
)  # fmt: skip
async def delete_me(context: AppContext, caller: Caller, data: MeDelete) -> None:
    """Delete your account: you leave every workspace, and nothing lets you in any more. API keys cannot do this.

    It needs your e-mail address, your password, and with a second factor a code. Whoever has no password signs in with
    the provider within 15 minutes before. What you made for workspaces stays there, and within the hour without your
    name; only their history keeps it, for as long as it keeps entries. Workspaces that you own you hand over
    before, or they are deleted with it: `deleteWorkspaces`. The address is free for a new account.
    """
    await delete_person.delete_me(context, caller, data)
