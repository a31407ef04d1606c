"""Approval: a draft is offered, and someone who may decide approves it, rejects it, or requests changes."""

from typing import Any, Literal

import msgspec

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import approval_mail, queries, views
from signalpost.posts.change.update import Purpose, apply_changes
from signalpost.posts.documents import Approval, Change
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.schemas.requests import PostApprove, PostReject
from signalpost.posts.schemas.responses import Post
from signalpost.posts.write import approvals, audit, emit, permissions, writer
from signalpost.posts.write.lock import lock_post_only
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch


async def request_approval(
    context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostApprove, if_match: IfMatch
) -> Post:
    """Offer a draft to those who may decide.

    Raises:
        VersionConflict: the post was changed since the caller read it, or at this moment.
        InvalidState: the post is not a draft, or it has been offered already.
        PlanFeatureUnavailable: the plan does not include approvals.
        ProfileArchived: the profile of the post is archived.
    """
    permissions.require_ownership(caller, post)
    plans.require_feature(caller, limits.APPROVALS)
    if post.status != "draft":
        raise problems.InvalidState(f"Approval can only be requested for a draft; this post is {post.status}.")
    if post.approval.state == "pending":
        raise problems.InvalidState("Approval has been requested already.")
    await profiles.require_in_use(db, post.workspace_id, post.profile_id)
    approval = approvals.requested(caller, data.note)
    answer = await _set_approval(db, caller, post, approval, "approval_requested", _read_version(post, data, if_match))
    await emit.approval_requested(context, db, *answer)
    return views.post(*answer)


async def approve_post(
    context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostApprove, if_match: IfMatch
) -> Post:
    """Approve a post that waits for it: it is published at its time, or now if it has none.

    Raises:
        VersionConflict: the post was changed since the caller read it, or at this moment.
        InvalidState: nobody asked for approval.
        Forbidden: the role does not decide.
        ScheduleInPast: the time of a draft has passed meanwhile.
        and what `create_post` raises.
    """
    version = _read_version(post, data, if_match)
    permissions.require_decision(caller, post)
    changes: dict[str, Any] = {}
    if post.status == "draft" and post.publish_mode == "slot":  # it gave up its slot
        changes = {"publish_mode": "slot"}
    elif post.status == "draft" and post.scheduled_at is not None:
        changes = {"scheduled_at": clock.wire(post.scheduled_at)}
    elif post.status == "draft":
        changes = {"publish_mode": "now"}
    approval = approvals.decided(caller, post.approval, "approved", data.note)
    purpose = Purpose("approved", approval, version)
    answer = await apply_changes(context, db, caller, post, changes, purpose=purpose)
    await approval_mail.mail_author(context, db, caller, post, approval)
    return answer


async def reject_post(
    context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostReject, if_match: IfMatch
) -> Post:
    """Reject a post that waits for approval, or request changes.

    Raises:
        VersionConflict: the post was changed since the caller read it, or at this moment.
        InvalidState: nobody asked for approval.
        Forbidden: the role does not decide.
    """
    version = _read_version(post, data, if_match)
    permissions.require_decision(caller, post)
    state: Literal["changes_requested", "rejected"] = "changes_requested" if data.changes_requested else "rejected"
    approval = approvals.decided(caller, post.approval, state, data.note)
    answer = await _set_approval(db, caller, post, approval, "rejected", version)
    await approval_mail.mail_author(context, db, caller, post, approval)
    return views.post(*answer)


def _read_version(post: PostRow, data: PostApprove, if_match: IfMatch) -> IfMatch:
    """Return the version that the caller decides on: the one they read, or else the one of this moment.

    Raises:
        VersionConflict: the post has another version than the one they read.
    """
    for read in (if_match, IfMatch(() if data.version is None else (data.version,))):
        read.require(post.version)
    return IfMatch((post.version,))


async def _set_approval(
    db: Db, caller: Caller, post: PostRow, approval: Approval, action: str, version: IfMatch
) -> tuple[PostRow, list[TargetRow]]:
    old = await lock_post_only(db, post)
    version.require(old.version)
    new = msgspec.structs.replace(old, approval=approval, version=old.version + 1, updated_at=clock.now())
    changes = [Change("approval", old.approval.state, approval.state)]
    await writer.update_labels(db, new, audit.entry(new, action, caller.actor, changes=changes))
    return new, await queries.targets_of(db, [new.id])
