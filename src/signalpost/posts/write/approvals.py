"""The approval of a post: what it becomes when a post is to be published, and when someone decides. Pure."""

from typing import Literal

import msgspec

from signalpost.identity import roles
from signalpost.kit import clock
from signalpost.plans import limits
from signalpost.posts.documents import Approval
from signalpost.web.caller import Caller

NOT_REQUIRED = Approval()


def for_publishing(caller: Caller, current: Approval, *, required: bool) -> Approval:
    """Return the approval of a post that the caller wants to be published.

    `required`: the profile wants approvals; of a contributor they are always requested. Someone who may approve does so
    by publishing; a rejected post, and one of which changes were requested, is offered again. Where the plan includes
    no approvals, posts go out without: what waits already goes on waiting for a decision.
    """
    if roles.asks_approval(caller.role):
        return current if current.state == "pending" else requested(caller, None)
    if current.state == "pending" or (current.state in ("not_required", "approved") and not required):
        return current
    if not limits.APPROVALS.included_in(caller.plan):
        return current if current.state == "approved" else NOT_REQUIRED
    if roles.may_approve(caller.role) and current.state in ("not_required", "approved"):
        return current if current.state == "approved" else decided(caller, NOT_REQUIRED, "approved", None)
    return requested(caller, None)


def requested(caller: Caller, note: str | None) -> Approval:
    """Return the approval that the caller requests, of the post as it is now."""
    return Approval(state="pending", requested_by=caller.actor, note=note, requested_at=clock.now())


def decided(
    caller: Caller, current: Approval, state: Literal["approved", "changes_requested", "rejected"], note: str | None
) -> Approval:
    """Return the approval after the caller's decision."""
    return msgspec.structs.replace(current, state=state, decided_by=caller.actor, note=note, decided_at=clock.now())


def held_reason(approval: Approval) -> Literal["approval"] | None:
    """Return why targets are held while the approval is missing; None: they are not."""
    return None if approval.state in ("not_required", "approved") else "approval"
