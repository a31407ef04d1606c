from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState, VersionConflict
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.posts import listing, queries, stats, views
from signalpost.posts.actions import approve, create, trash, update, validate
from signalpost.posts.actions.fetch import BEFORE, Fetched
from signalpost.posts.errors import (
    DuplicateContent,
    ExternalIdConflict,
    PreflightFailed,
    ScheduleInPast,
    ScheduleTooFar,
    TimezoneRequired,
)
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.requests import (
    ApprovalDecision,
    ApprovalRejection,
    PostCreate,
    PostDeleteQuery,
    PostListQuery,
    PostUpdate,
    ProfileQuery,
)
from signalpost.posts.schemas.responses import AuditEntry, Post, PostDeletion, PostProgress, PostStats, PostValidation
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import IfMatch, Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes

routes = Routes("Posts")

MyPost = Annotated[PostRow, Mine(PostId, queries.find_mine)]
AnyPost = Annotated[PostRow, Mine(PostId, queries.find_any)]
Files = Annotated[Fetched | None, BEFORE]
NOT_ACCEPTED = (
    PreflightFailed,
    TimezoneRequired,
    ScheduleInPast,
    ScheduleTooFar,
    DuplicateContent,
    ExternalIdConflict,
    PlanLimitReached,
    TestModeOnlySandbox,
)
NO_NOTE, REJECTED = ApprovalDecision(), ApprovalRejection()
"""The bodies of requests that send none."""

_EXAMPLE = {
    "profileId": "prof_01M7Z0000000000000000000AB",
    "platforms": ["bluesky"],
    "text": "Hello from #signalpost",
}


@routes.post("/posts", scope="posts:write", raises=NOT_ACCEPTED, etag=True, example=_EXAMPLE)
async def create_post(context: AppContext, db: Db, caller: Caller, data: PostCreate, files: Files) -> Post:
    """Create a post, and queue it for every chosen account.

    Without `scheduledAt` it goes out now, with it at that time; `draft: true` keeps it for later. Publishing happens
    afterwards: follow it by webhook, or at `/posts/{id}/status`.
    """
    return await create.create_post(context, db, caller, data, files)


@routes.get("/posts", scope="posts:read")
async def list_posts(context: AppContext, db: Db, caller: Caller, query: PostListQuery, page: Page) -> Listing[Post]:
    """List posts, newest first, without those in the trash."""
    return await listing.list_posts(context, db, caller, query, page)


@routes.post("/posts/validate", scope="posts:write", status=200, raises=(TestModeOnlySandbox,), example=_EXAMPLE)
async def validate_post(db: Db, caller: Caller, data: PostCreate, files: Files) -> PostValidation:
    """Try a post without saving it: what networks would refuse, what is worth knowing, how long each text counts."""
    return await validate.validate_post(db, caller, data, files)


@routes.get("/posts/stats", scope="posts:read")
async def get_post_stats(context: AppContext, db: Db, caller: Caller, query: ProfileQuery) -> PostStats:
    """Count posts by state, and how their targets ended."""
    return await stats.get_stats(context, db, caller, query)


@routes.get("/posts/trash", scope="posts:read", limit_default=LIST_ALL)
async def list_trash(context: AppContext, db: Db, caller: Caller, query: ProfileQuery, page: Page) -> Listing[Post]:
    """List posts in the trash, the last trashed first. They are deleted for good 30 days after."""
    return await listing.list_trash(context, db, caller, query, page)


@routes.get("/posts/{id}", scope="posts:read", etag=True)
async def get_post(post: MyPost, db: Db) -> Post:
    """Return a post with its targets."""
    return views.post(post, await queries.targets_of(db, [post.id]))


@routes.patch(
    "/posts/{id}", scope="posts:write", raises=(*NOT_ACCEPTED, InvalidState, VersionConflict, Forbidden), etag=True
)
async def update_post(
    post: MyPost, context: AppContext, db: Db, caller: Caller, data: PostUpdate, if_match: IfMatch, files: Files
) -> Post:
    """Change a post that is not on its way yet.

    `scheduledAt` schedules it, or makes it a draft when null. Tags, notes, campaign and externalId can always change.
    """
    return await update.update_post(context, db, caller, post, data, if_match, files)


@routes.delete("/posts/{id}", scope="posts:write", raises=(InvalidState, VersionConflict, Forbidden))
async def delete_post(
    post: AnyPost, context: AppContext, db: Db, caller: Caller, query: PostDeleteQuery, if_match: IfMatch
) -> PostDeletion:
    """Move a post to the trash and take it off the queue. Repeating it changes nothing.

    `permanent=true` deletes it for good; `cascade=true` also removes from the networks what was published there.
    """
    return await trash.trash_post(context, db, caller, post, query, if_match)


@routes.post(
    "/posts/{id}/restore", scope="posts:write", raises=(InvalidState, ExternalIdConflict, PlanLimitReached), etag=True
)
async def restore_post(post: AnyPost, context: AppContext, db: Db, caller: Caller) -> Post:
    """Take a post out of the trash, with its schedule if that still lies ahead."""
    return await trash.restore_post(context, db, caller, post)


@routes.get("/posts/{id}/status", scope="posts:read")
async def get_post_status(post: MyPost, db: Db) -> PostProgress:
    """Tell how far a post is, target by target."""
    return views.post_progress(post, await queries.targets_of(db, [post.id]))


@routes.get("/posts/{id}/audit", scope="posts:read", limit_default=LIST_ALL)
async def list_post_audit(post: AnyPost, db: Db, page: Page) -> Listing[AuditEntry]:
    """List what happened to a post, newest first."""
    return await listing.list_audit(db, post, page)


@routes.post(
    "/posts/{id}/request-approval", scope="posts:write", status=200, raises=(InvalidState, PlanFeatureUnavailable)
)
async def request_post_approval(post: MyPost, db: Db, caller: Caller, data: ApprovalDecision = NO_NOTE) -> Post:
    """Offer a draft for approval."""
    return await approve.request_approval(db, caller, post, data)


@routes.post("/posts/{id}/approve", scope="posts:read", status=200, raises=(*NOT_ACCEPTED, InvalidState, Forbidden))
async def approve_post(
    post: MyPost, context: AppContext, db: Db, caller: Caller, data: ApprovalDecision = NO_NOTE
) -> Post:
    """Approve a post: it goes out at its time, or now when it has none."""
    return await approve.approve_post(context, db, caller, post, data)


@routes.post("/posts/{id}/reject", scope="posts:read", status=200, raises=(InvalidState, Forbidden))
async def reject_post(post: MyPost, db: Db, caller: Caller, data: ApprovalRejection = REJECTED) -> Post:
    """Refuse a post, or ask for changes; an edit offers it again."""
    return await approve.reject_post(db, caller, post, data)
