"""Who may do what to a post, beyond what the scope of a route says."""

from signalpost.identity import roles
from signalpost.kit import problems
from signalpost.plans import limits
from signalpost.posts.rows import PostRow
from signalpost.posts.write import approvals
from signalpost.web.caller import Caller


def require_publishing(caller: Caller) -> None:
    """Ensure that the caller may have a post published, at once or, for a contributor, when someone approves it.

    Raises:
        InsufficientScope: the API key may only write drafts.
        Forbidden: the role may only write drafts, or the plan has no approvals for which its posts could wait.
    """
    if "posts:publish" in caller.scopes:
        return
    if roles.may_publish(caller.role):
        raise problems.InsufficientScope("This API key lacks the scope posts:publish; it may only write drafts.")
    if not roles.asks_approval(caller.role) or "posts:write" not in caller.scopes:
        raise problems.Forbidden(f"The role {caller.role} may not publish posts.")
    if not limits.APPROVALS.included_in(caller.plan):
        raise problems.Forbidden(
            f"The role {caller.role} publishes with an approval, which the plan {caller.plan} does not include.",
            remediation="Make a draft: send `draft: true`. A member who may publish takes it from there.",
        )


def require_cancelling(caller: Caller, post: PostRow) -> None:
    """Ensure that the caller may take the post off the queue: a contributor withdraws what nobody has approved yet.

    Raises:
        InsufficientScope: the API key may only write drafts.
        Forbidden: the role may not.
    """
    if roles.asks_approval(caller.role):
        require_ownership(caller, post)
    else:
        require_publishing(caller)


def require_ownership(caller: Caller, post: PostRow) -> None:
    """Ensure that the caller may change this post: a contributor only own drafts, and what waits for approval.

    Raises:
        Forbidden: the caller may not.
    """
    if roles.may_edit_others_posts(caller.role):
        return
    if post.created_by_user_id != caller.user_id:
        raise problems.Forbidden(f"The role {caller.role} may only change its own posts.")
    if post.status != "draft" and approvals.held_reason(post.approval) is None:
        raise problems.Forbidden(
            f"The role {caller.role} may only change drafts and what waits for approval; this post is {post.status}."
        )


def require_permanent_deletion(caller: Caller, post: PostRow) -> None:
    """Ensure that the caller may delete this post permanently, or from its networks.

    Raises:
        Forbidden: the caller may not.
    """
    if not roles.may_delete_permanently(caller.role, own=post.created_by_user_id == caller.user_id):
        raise problems.Forbidden(
            f"The role {caller.role} may not delete this post permanently or remove it from a network."
        )


def require_deciding(caller: Caller) -> None:
    """Ensure that the caller may approve and reject posts.

    Raises:
        Forbidden: the role does not decide.
        InsufficientScope: the API key may not publish.
    """
    if not roles.may_approve(caller.role):
        raise problems.Forbidden(f"The role {caller.role} may not approve or reject posts.")
    if caller.auth == "api_key" and caller.role != "approver" and "posts:publish" not in caller.scopes:
        raise problems.InsufficientScope("This API key lacks the scope posts:publish.")


def require_decision(caller: Caller, post: PostRow) -> None:
    """Ensure that the caller may approve or reject this post, and that it waits for that.

    Raises:
        Forbidden: the role does not decide.
        InsufficientScope: the API key may not publish.
        InvalidState: nobody asked for approval.
    """
    require_deciding(caller)
    if post.approval.state != "pending":
        raise problems.InvalidState(f"The approval of this post is {post.approval.state}, not pending.")
