"""What can stand in the way of a post: the plan's limits, and another post with the same content or external id."""

from collections.abc import Sequence

from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.kit.problems import Problem
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import duplicates
from signalpost.posts.compose.draft import PostDraft
from signalpost.posts.duplicates import Duplicate
from signalpost.posts.errors import DuplicateContent, ExternalIdConflict
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.web.caller import Caller


async def require_within_plan(db: Db, caller: Caller, draft: PostDraft) -> None:
    """Ensure that the plan covers the profile and every chosen account.

    Raises:
        PlanLimitReached: the workspace has more of them than the plan allows, and this is one of those over the limit.
    """
    if draft.profile.over_limit:
        raise await plans.over_limit(db, caller, limits.PROFILES)
    if any(target.account.over_limit for target in draft.targets):
        raise await plans.over_limit(db, caller, limits.ACCOUNTS)


async def require_capacity(db: Db, caller: Caller, post: PostRow) -> None:
    """Ensure that the plan lets one more post wait for its time, if this one is to wait.

    Raises:
        PlanLimitReached: it does not.
    """
    if post.status == "scheduled":
        await plans.require_capacity(db, caller, limits.SCHEDULED_POSTS)


async def require_no_duplicate(db: Db, post: PostRow, targets: Sequence[TargetRow], *, content: bool = True) -> None:
    """Ensure that no other post has this external id or content; equal posts at the same time wait for each other.

    `content`: the post is to be published, so that its content counts.

    Raises:
        ExternalIdConflict: another post has the external id.
        DuplicateContent: the same content was, or will be, published to the same account within 24 hours.
    """
    hashes = guarded_contents(post, targets) if content else []
    if not hashes and post.external_id is None:
        return
    for duplicate in await duplicates.find_duplicates(db, post, hashes):
        raise duplicate_problem(post, duplicate)


def duplicate_problem(post: PostRow, duplicate: Duplicate) -> Problem:
    """Return the refusal of a post because of another one."""
    existing = ids.encode("pst", duplicate.post_id)
    if duplicate.account_id is None:
        message = f"The post {existing} has the externalId {post.external_id!r}."
        return ExternalIdConflict(message, existingPostId=existing)
    account = ids.encode("acc", duplicate.account_id)
    message = f"The post {existing} has the same content for {account}."
    return DuplicateContent(message, existingPostId=existing, accountId=account)


def guarded_contents(post: PostRow, targets: Sequence[TargetRow]) -> list[bytes]:
    """Return the fingerprints that no other post may have, in the order in which everyone locks them."""
    return sorted(content for target in targets if (content := guarded_content(post, target)) is not None)


def guarded_content(post: PostRow, target: TargetRow) -> bytes | None:
    """Return the fingerprint of a target that no other post may have: it is to be published, and no copy by intent."""
    return None if post.allow_duplicate or target.due_at is None else target.content_hash
