"""When a post becomes something that will go out: who may do that, what stands in the way, what it costs, who hears."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import event_data, queries
from signalpost.posts.actions.draft import PostDraft
from signalpost.posts.errors import DuplicateContent, ExternalIdConflict
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.web.caller import Caller

APPROVERS: Final = ("owner", "admin", "approver")
MANAGERS: Final = ("owner", "admin", "editor")
"""Roles that change and trash what others wrote."""

NOT_REQUIRED: Final[dict[str, Any]] = {
    "state": "not_required", "requestedBy": None, "decidedBy": None, "note": None, "decidedAt": None,
}  # fmt: skip


def require_publishing(caller: Caller) -> None:
    """See that the caller may let something go out.

    Raises:
        InsufficientScope: the key may only write drafts.
        Forbidden: the role may only write drafts.
    """
    if "posts:publish" in caller.scopes:
        return
    if caller.role in MANAGERS:
        raise problems.InsufficientScope("This API key lacks the scope posts:publish; it may write drafts.")
    raise problems.Forbidden(
        f"The role {caller.role} writes drafts: send `draft: true`, then POST /posts/{{id}}/request-approval."
    )


def require_ownership(caller: Caller, post: PostRow) -> None:
    """See that the caller may change this post: contributors only drafts of their own.

    Raises:
        Forbidden: it may not.
    """
    if caller.role in MANAGERS:
        return
    if post.created_by_user_id != caller.user_id:
        raise problems.Forbidden(f"The role {caller.role} changes only what it wrote itself.")
    if post.status != "draft":
        raise problems.Forbidden(f"The role {caller.role} changes only drafts; this post is {post.status}.")


def approval_for(caller: Caller, current: dict[str, Any], *, required: bool) -> dict[str, Any]:
    """Return the approval of a post that the caller wants to go out; a refused one is asked for anew."""
    state = current["state"]
    if state == "pending" or (state in ("not_required", "approved") and not required):
        return current
    if caller.role in APPROVERS and state in ("not_required", "approved"):
        return current if state == "approved" else NOT_REQUIRED | decided(caller, "approved", None)
    return NOT_REQUIRED | {"state": "pending", "requestedBy": caller.actor}


def decided(caller: Caller, state: str, note: str | None) -> dict[str, Any]:
    """Return what a decision adds to an approval."""
    return {"state": state, "decidedBy": caller.actor, "note": note, "decidedAt": clock.wire(clock.now())}


async def refuse_duplicates(db: Db, post: PostRow, targets: Sequence[TargetRow], *, content: bool) -> None:
    """See that no other post is in the way; equal ones written at the same time wait for each other.

    `content` tells whether the post goes out, so that its content counts.

    Raises:
        ExternalIdConflict: another post has the external id.
        DuplicateContent: the same went, or goes, to the same account within 24 hours.
    """
    hashes = [target.content_hash for target in targets] if content and not post.allow_duplicate else []
    if not hashes and post.external_id is None:
        return
    for twin in await queries.duplicates(db, post, hashes):
        existing = ids.encode("pst", twin.post_id)
        if twin.account_id is None:
            raise ExternalIdConflict(
                f"The post {existing} has the externalId {post.external_id!r}.", existingPostId=existing
            )
        account = ids.encode("acc", twin.account_id)
        raise DuplicateContent(
            f"The post {existing} has the same content for {account}.", existingPostId=existing, accountId=account
        )


async def require_within_plan(db: Db, caller: Caller, draft: PostDraft) -> None:
    """See that neither the profile nor a chosen account is one too many for the plan.

    Raises:
        PlanLimitReached: one is.
    """
    if draft.profile.over_limit:
        raise await plans.over_limit(db, caller, limits.PROFILES)
    if any(target.account.over_limit for target in draft.targets):
        raise await plans.over_limit(db, caller, limits.ACCOUNTS)


async def require_room(db: Db, caller: Caller, post: PostRow) -> None:
    """See that the plan lets one more post wait for its time.

    Raises:
        PlanLimitReached: it does not.
    """
    if post.status == "scheduled":
        await plans.require_capacity(db, caller, limits.SCHEDULED_POSTS)


async def tell_queued(context: AppContext, db: Db, post: PostRow, targets: Sequence[TargetRow]) -> None:
    """Emit post.queued: once per acceptance, also for a post that waits for its time."""
    waiting = [target for target in targets if target.next_attempt_at is not None]
    data = event_data.post_data(
        post,
        targets,
        queued_at=clock.wire_or_none(post.queued_at),
        run_at=clock.wire_or_none(queries.first_due(waiting)),
        targets=[event_data.waiting_data(target) for target in waiting],
    )
    event = events.PostQueued(
        workspace_id=post.workspace_id, at=clock.now(), profile_id=post.profile_id, mode=post.mode, data=data
    )
    await context.emit(db, event)


def due_of(target: TargetRow, scheduled_at: datetime | None, now: datetime) -> datetime:
    """Return when a target goes out: at its own time, else the post's, else `now`, the database's clock.

    A time that has come by the request's clock (which a test key may set) means now.
    """
    at = target.scheduled_at or scheduled_at
    return now if at is None or at <= clock.now() else at


def held_reason_of(approval: dict[str, Any]) -> str | None:
    """Return what keeps targets back while the approval is missing."""
    return None if approval["state"] in ("not_required", "approved") else "approval"
