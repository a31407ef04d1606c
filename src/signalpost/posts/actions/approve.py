"""Approval: a draft is offered, and someone who may decide approves it, rejects it, or requests changes."""

from typing import Any, Literal

import msgspec

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import queries, views
from signalpost.posts.actions import approvals, audit, permissions, write
from signalpost.posts.actions.update import apply_changes
from signalpost.posts.documents import Approval, Change
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.requests import ApprovalDecision, ApprovalRejection
from signalpost.posts.schemas.responses import Post
from signalpost.web.caller import Caller


async def request_approval(db: Db, caller: Caller, post: PostRow, data: ApprovalDecision) -> Post:
    """Offer a draft to those who may decide.

    Raises:
        InvalidState: the post is not a draft, or it has been offered already.
        PlanFeatureUnavailable: the plan does not include approvals.
    """
    permissions.require_ownership(caller, post)
    plans.require_feature(caller, limits.APPROVALS)
    if post.status != "draft":
        raise problems.InvalidState(f"Approval can only be requested for a draft; this post is {post.status}.")
    if post.approval.state == "pending":
        raise problems.InvalidState("Approval has been requested already.")
    approval = Approval(state="pending", requested_by=caller.actor, note=data.note)
    return await _set_approval(db, caller, post, approval, "approval_requested")


async def approve_post(context: AppContext, db: Db, caller: Caller, post: PostRow, data: ApprovalDecision) -> Post:
    """Approve a post that waits for it: it is published at its time, or now if it has none.

    Raises:
        InvalidState: nobody asked for approval.
        Forbidden: the role does not decide.
        ScheduleInPast: the time of a draft has passed meanwhile.
        and what `create_post` raises.
    """
    permissions.require_decision(caller, post)
    changes: dict[str, Any] = {}
    if post.status == "draft" and post.scheduled_at is not None:
        changes = {"scheduled_at": clock.wire(post.scheduled_at)}
    elif post.status == "draft":
        changes = {"publish_mode": "now"}
    approval = approvals.decided(caller, post.approval, "approved", data.note)
    return await apply_changes(context, db, caller, post, changes, action="approved", approval=approval)


async def reject_post(db: Db, caller: Caller, post: PostRow, data: ApprovalRejection) -> Post:
    """Reject a post that waits for approval, or request changes; an update offers it again.

    Raises:
        InvalidState: nobody asked for approval.
        Forbidden: the role does not decide.
    """
    permissions.require_decision(caller, post)
    state: Literal["changes_requested", "rejected"] = "changes_requested" if data.changes_requested else "rejected"
    approval = approvals.decided(caller, post.approval, state, data.note)
    return await _set_approval(db, caller, post, approval, "rejected")


async def _set_approval(db: Db, caller: Caller, post: PostRow, approval: Approval, action: str) -> Post:
    old = await queries.lock_post_only(db, post.id)
    if old is None or old.deleted_at is not None or old.approval != post.approval or old.status != post.status:
        raise problems.InvalidState("The post was just changed. Read it again.")
    new = msgspec.structs.replace(old, approval=approval, version=old.version + 1, updated_at=clock.now())
    changes = [Change("approval", old.approval.state, approval.state)]
    await write.update_labels(db, new, audit.entry(new, action, caller.actor, changes=changes))
    return views.post(new, await queries.targets_of(db, [new.id]))
