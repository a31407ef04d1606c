"""What a workspace does with its links for approval."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from signalpost.approval_links import queries, views
from signalpost.approval_links.queries import COMPUTED, ApprovalLinkRow
from signalpost.approval_links.schemas import DAYS_DEFAULT, DAYS_MAX, POSTS_MAX, ApprovalLink, ApprovalLinkCreate
from signalpost.context import AppContext
from signalpost.kit import batches, cells, clock, crypto, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts.change import approve
from signalpost.posts.find import chosen
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.requests import PostApprove
from signalpost.posts.write import permissions
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId, ProfileId
from signalpost.web.inputs import ANY_VERSION

OPEN_MAX: Final = 500
"""Links of a workspace that work at the same time."""
_INSERT: Final = rows.insert("approval_link", ApprovalLinkRow, without=COMPUTED)
_REVOKE: Final = """
update approval_link set revoked_at = now() where workspace_id = $1 and id = $2 and revoked_at is null
"""
_PURGE: Final = batches.delete("approval_link", "expires_at < now() - interval '30 days'")


async def create_link(context: AppContext, db: Db, caller: Caller, data: ApprovalLinkCreate) -> ApprovalLink:
    """Create a link; it is in this response and nowhere else. Drafts that nobody has offered are offered with it.

    Raises:
        ValidationFailed: unknown posts, posts of several profiles or that cannot be decided; no posts; a wrong time.
        Forbidden, InsufficientScope: the caller may not approve posts, so a link cannot either.
        PlanFeatureUnavailable: the plan does not include approvals.
        TooManyItems: there are too many posts, or links that work.
    """
    permissions.require_deciding(caller)
    plans.require_feature(caller, limits.APPROVALS)
    now = clock.actual()
    expires_at = _expires_at(data.expires_at, now)
    posts = await _chosen(context, db, caller, data)
    if await queries.count_open(db, caller.workspace_id) >= OPEN_MAX:
        raise problems.TooManyItems(
            f"This workspace has {OPEN_MAX} links that work.", remediation="Revoke some that are no longer needed."
        )
    token = cells.with_name(context.keys.cell, crypto.random_token())
    row = ApprovalLinkRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        profile_id=posts[0].profile_id,
        token_hash=queries.hash_of(token),
        mode=caller.mode,
        post_ids=[post.id for post in posts],
        email=data.email,
        message=data.message,
        scopes=sorted(caller.scopes),
        profile_ids=caller.sees_profiles,
        user_id=caller.user_id,
        key_id=caller.key_id,
        created_by=caller.actor,
        created_at=now,
        expires_at=expires_at,
    )
    await db.execute(_INSERT, *rows.values(row, without=COMPUTED))
    return views.approval_link(row, views.page_url(context, token))


async def revoke_link(db: Db, caller: Caller, link: ApprovalLinkRow) -> None:
    """End a link. What was decided by it stays decided."""
    permissions.require_deciding(caller)
    await end_link(db, link)


async def end_link(db: Db, link: ApprovalLinkRow) -> None:
    """End a link; one that has ended stays as it is."""
    await db.execute(_REVOKE, link.workspace_id, link.id)


async def purge(db: Db) -> bool:
    """Delete links that expired a month ago; return whether there may be more."""
    return await batches.run(db, [_PURGE])


def _expires_at(until: datetime | None, now: datetime) -> datetime:
    if until is None:
        return now + timedelta(days=DAYS_DEFAULT)
    if now < until <= now + timedelta(days=DAYS_MAX):
        return until
    raise problems.invalid("/expiresAt", "out_of_range", f"Enter a time in the future, at most {DAYS_MAX} days ahead.")


async def _chosen(context: AppContext, db: Db, caller: Caller, data: ApprovalLinkCreate) -> Sequence[PostRow]:
    """Return the posts of a link: all of one profile, and each waits for approval now."""
    if (data.post_ids is None) is (data.profile_id is None):
        raise problems.invalid("/postIds", "required", "Send either `postIds`, or `profileId` with `from` and `to`.")
    post_ids = await _waiting(db, caller, data) if data.post_ids is None else list(data.post_ids)
    by_id = await chosen.chosen(db, caller, post_ids)
    if issues := _issues(caller, post_ids, by_id):
        raise problems.ValidationFailed(errors=issues)
    posts = [by_id[post_id] for post_id in dict.fromkeys(post_ids)]
    for post in posts:
        if post.approval.state != "pending":
            await approve.request_approval(context, db, caller, post, PostApprove(), ANY_VERSION)
    return posts


async def _waiting(db: Db, caller: Caller, data: ApprovalLinkCreate) -> Sequence[UUID]:
    profile_id, first, end = data.profile_id, data.from_, data.to
    if profile_id is None or first is None or end is None:
        missing = [name for name, value in (("from", first), ("to", end)) if value is None]
        raise problems.ValidationFailed(
            errors=[Issue(f"/{name}", "required", "A link for a profile needs `from` and `to`.") for name in missing]
        )
    if not caller.may_see_profile(profile_id):
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    post_ids = await chosen.waiting_between(db, caller, profile_id, first, end, POSTS_MAX + 1)
    if not post_ids:
        raise problems.invalid("/profileId", "not_allowed", "None of its posts in this time waits for approval.")
    if len(post_ids) > POSTS_MAX:
        raise problems.TooManyItems(f"More than {POSTS_MAX} posts wait in this time; a link shows that many at most.")
    return post_ids


def _issues(caller: Caller, post_ids: Sequence[UUID], by_id: dict[UUID, PostRow]) -> list[Issue]:
    issues = []
    first = next((by_id[post_id] for post_id in post_ids if post_id in by_id), None)
    for index, post_id in enumerate(post_ids):
        path, post = f"/postIds/{index}", by_id.get(post_id)
        if post is None or first is None:
            issues.append(PostId.not_found(path))
        elif post.profile_id != first.profile_id:
            issues.append(Issue(path, "not_allowed", "A link is for one profile; this post is of another one."))
        elif post.approval.state != "pending" and not _may_offer(caller, post):
            issues.append(Issue(path, "not_allowed", f"There is nothing to decide on this post: {_why_not(post)}."))
    return issues


def _may_offer(caller: Caller, post: PostRow) -> bool:
    return post.status == "draft" and "posts:write" in caller.scopes


def _why_not(post: PostRow) -> str:
    if post.status == "draft":
        return "nobody has requested approval, and you may not"
    return f"it is {post.status}, and its approval is {post.approval.state}"
