"""Deletion: everything stops at once, and nothing is lost for 30 days."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from signalpost.billing import queries as billing
from signalpost.billing.actions import ownership
from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.identity.actions import deletion, person_deletion, workspaces
from signalpost.identity.queries import WorkspaceRow
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.web.caller import Caller
from signalpost.workspaces.schemas import WorkspaceDeletion

GRACE_DAYS: Final = 30
_CHARGED: Final = ("trialing", "active", "past_due", "paused")


async def delete_workspace(
    context: AppContext, db: Db, caller: Caller, row: WorkspaceRow, name: str
) -> WorkspaceDeletion:
    """Close a workspace to everyone at once: credentials, publishing and webhooks. Its rows stay for 30 days.

    A deleted workspace has a plan that covers nothing. So what waits is held and not lost, and comes back with it.

    Raises:
        Forbidden: the caller does not own it, or is an API key.
        ValidationFailed: the name is not that of the workspace.
        InvalidState: a subscription would be charged for it.
    """
    if caller.auth != "session" or row.role != "owner":
        raise problems.Forbidden(
            "Only the signed-in owner can delete a workspace.",
            remediation="The owner signs in with `POST /auth/login` and sends that access token.",
        )
    workspaces.require_second_factor(caller, row)
    if name != row.name:
        raise problems.invalid("name", "not_allowed", f"Enter the name of the workspace, which is {row.name}.")
    await _require_no_subscription(db, row.id)
    await members.lock(db, row.id)
    deleted_at: datetime = await deletion.mark_deleted(context, db, row.id)
    await plans.fit(context, db, row.id, row.plan)
    await ownership.closed(db, row.id)
    return WorkspaceDeletion(
        id=ids.encode("wsp", row.id), deleted=True, erased_after=clock.wire(deleted_at + timedelta(days=GRACE_DAYS))
    )


async def _require_no_subscription(db: Db, workspace_id: UUID) -> None:
    subscription = await billing.find(db, workspace_id, lock=True)
    if subscription is None or subscription.status not in _CHARGED or subscription.cancel_at_period_end:
        return
    raise problems.InvalidState(
        "The workspace has a subscription, which would go on.",
        remediation="Cancel it first: `PATCH /billing/subscription` with `cancelAtPeriodEnd`.",
    )


async def restore_workspace(context: AppContext, db: Db, workspace_id: UUID, *, owner: str | None = None) -> None:
    """Give a deleted workspace back to its members, with everything it had.

    `owner`: the e-mail address of who owns it from now on, if its owner deleted their account, too.

    Raises:
        InvalidState: it is not deleted, or is erased; or it is not known who could own it, or has an owner.
        NotFound: there is no such user.
    """
    await ownership.lock(db, workspace_id)  # first, as whoever reads a subscription, which may change the plan
    plan = await deletion.unmark_deleted(context, db, workspace_id)
    if plan is None:
        raise problems.InvalidState("This workspace is not deleted, or its data is erased.")
    is_without = await person_deletion.has_deleted_owner(db, workspace_id)
    if is_without and owner is None:
        raise problems.InvalidState(
            "The owner of this workspace has deleted their account.",
            remediation="Name another one with `--owner <email>`.",
        )
    if owner is not None:
        if not is_without:
            raise problems.InvalidState("This workspace has an owner.", remediation="Restore it without `--owner`.")
        await members.lock(db, workspace_id)
        await person_deletion.replace_owner(context, db, workspace_id, owner)
    await ownership.reopened(db, workspace_id)
    await plans.fit(context, db, workspace_id, plan)
