"""A second pair of eyes: a draft is offered, and somebody who may decide lets it out or sends it back."""

from typing import Any

import msgspec

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import queries
from signalpost.posts.actions import accept, rows
from signalpost.posts.actions.rows import Entry
from signalpost.posts.actions.update import change
from signalpost.posts.queries import PostRow
from signalpost.posts.schemas.requests import ApprovalDecision, ApprovalRejection
from signalpost.posts.schemas.responses import Post
from signalpost.web.caller import Caller


async def request_approval(db: Db, caller: Caller, row: PostRow, data: ApprovalDecision) -> Post:
    """Offer a draft to those who may decide.

    Raises:
        InvalidState: it is no draft, or offered already.
        PlanFeatureUnavailable: the plan has no approvals.
    """
    accept.require_ownership(caller, row)
    plans.require_feature(caller, limits.APPROVALS)
    if row.status != "draft":
        raise problems.InvalidState(f"Approval is asked for a draft; this post is {row.status}.")
    if row.approval["state"] == "pending":
        raise problems.InvalidState("Approval is asked for already.")
    asked = accept.NOT_REQUIRED | {"state": "pending", "requestedBy": caller.actor, "note": data.note}
    return await _set(db, caller, row, asked, "approval_requested")


async def approve_post(context: AppContext, db: Db, caller: Caller, row: PostRow, data: ApprovalDecision) -> Post:
    """Let a post out that waits for approval: at its time, or now when it has none.

    Raises:
        InvalidState: nobody asked.
        Forbidden: the role does not decide.
        ScheduleInPast: a draft's time has passed meanwhile.
        and what `create_post` raises.
    """
    _require_decider(caller, row)
    given: dict[str, Any] = {}
    if row.status == "draft" and row.scheduled_at is not None:
        given = {"scheduled_at": clock.wire(row.scheduled_at)}
    elif row.status == "draft":
        given = {"publish_mode": "now"}
    approval = row.approval | accept.decided(caller, "approved", data.note)
    return await change(context, db, caller, row, given, action="approved", approval=approval)


async def reject_post(db: Db, caller: Caller, row: PostRow, data: ApprovalRejection) -> Post:
    """Refuse a post that waits for approval, or ask for changes; an edit offers it again.

    Raises:
        InvalidState: nobody asked.
        Forbidden: the role does not decide.
    """
    _require_decider(caller, row)
    state = "changes_requested" if data.changes_requested else "rejected"
    return await _set(db, caller, row, row.approval | accept.decided(caller, state, data.note), "rejected")


def _require_decider(caller: Caller, row: PostRow) -> None:
    if caller.role not in accept.APPROVERS:
        raise problems.Forbidden(f"The role {caller.role} does not decide about posts.")
    if caller.auth == "api_key" and caller.role != "approver" and "posts:publish" not in caller.scopes:
        raise problems.InsufficientScope("This API key lacks the scope posts:publish.")
    if row.approval["state"] != "pending":
        raise problems.InvalidState(f"The approval of this post is {row.approval['state']}, not pending.")


async def _set(db: Db, caller: Caller, row: PostRow, approval: dict[str, Any], action: str) -> Post:
    old = await queries.lock_alone(db, row.id)
    if old is None or old.deleted_at is not None or old.approval != row.approval or old.status != row.status:
        raise problems.InvalidState("The post was changed at this moment. Read it again.")
    post = msgspec.structs.replace(old, approval=approval, version=old.version + 1, updated_at=clock.now())
    changes = [{"field": "approval", "from": old.approval["state"], "to": approval["state"]}]
    await rows.annotate(db, post, Entry(action, changes), actor=caller.actor)
    return await queries.shown(db, post)
