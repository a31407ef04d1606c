from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity import queries
from signalpost.identity.queries import WorkspaceRow
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState
from signalpost.web.caller import SIGNED_IN, Caller
from signalpost.web.fields import WorkspaceId
from signalpost.web.inputs import Mine
from signalpost.web.routing import Routes
from signalpost.workspaces import actions
from signalpost.workspaces.schemas import WorkspaceDeleteQuery, WorkspaceDeletion

routes = Routes("Identity")

MyWorkspace = Annotated[WorkspaceRow, Mine(WorkspaceId, queries.find_my_workspace)]


@routes.delete("/workspaces/{id}", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, InvalidState))
async def delete_workspace(
    workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext, query: WorkspaceDeleteQuery
) -> WorkspaceDeletion:
    """Delete a workspace that you own; `name` confirms it. API keys cannot do this.

    Nobody gets in any more and nothing is published. For 30 days the operator can restore it; after that posts, files,
    accounts, members and keys are erased. Its history and records of billing stay.
    """
    return await actions.delete_workspace(context, db, caller, workspace, query.name)
