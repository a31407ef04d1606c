from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState, PayloadTooLarge, TooManyItems, Unavailable, VersionConflict
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.posts import queries, views
from signalpost.posts.change import approve, trash, update
from signalpost.posts.compose import validate
from signalpost.posts.compose.fetch import BEFORE, Fetched
from signalpost.posts.errors import NOT_ACCEPTED, ExternalIdConflict
from signalpost.posts.find import calendar, listing, stats
from signalpost.posts.many import auto_schedule, bulk, bulk_csv, fanout
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.auto_schedule import AutoScheduled, PostsSchedule
from signalpost.posts.schemas.calendar import CalendarQuery, PostCalendar
from signalpost.posts.schemas.many import BulkCreate, BulkCsvQuery, BulkQuery, BulkResult, FanoutCreate, FanoutResult
from signalpost.posts.schemas.requests import (
    PostApprove,
    PostCreate,
    PostDeleteQuery,
    PostListQuery,
    PostReject,
    PostUpdate,
    ProfileQuery,
)
from signalpost.posts.schemas.responses import AuditEntry, Post, PostDeletion, PostProgress, PostStats
from signalpost.posts.schemas.validation import PostValidation
from signalpost.posts.views import StoredPost
from signalpost.posts.write import create
from signalpost.profiles.errors import ProfileArchived
from signalpost.scheduling.errors import NoFreeSlot
from signalpost.web.caller import Caller
from signalpost.web.conditional import Conditional
from signalpost.web.fields import PostId
from signalpost.web.idempotency import Keep
from signalpost.web.inputs import IfMatch, Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.request import Request
from signalpost.web.routing import RawResponse, Routes
from signalpost.web.streaming import body_pieces

routes = Routes("Posts")

MyPost = Annotated[PostRow, Mine(PostId, queries.find_mine, why_absent=queries.why_absent)]
MyStoredPost = Annotated[StoredPost, Mine(PostId, queries.read_mine, why_absent=queries.why_absent)]
AnyPost = Annotated[PostRow, Mine(PostId, queries.find_any)]
FetchedFiles = Annotated[Fetched | None, BEFORE]
FetchedOnce = Annotated[Fetched | None, fanout.BEFORE]
FetchedRows = Annotated[bulk.FetchedRows | None, bulk.BEFORE]
NO_NOTE, REJECTED = PostApprove(), PostReject()
"""The bodies of requests that send none."""

_POST = {"profileId": "prof_01M7Z0000000000000000000AB", "platforms": ["bluesky"], "text": "Hello from #signalpost"}
_EXAMPLES = {
    "Publish now": _POST,
    "Schedule for a local time": {**_POST, "scheduledAt": "2026-12-24T18:00", "timezone": "Europe/Berlin"},
    "Save a draft": {**_POST, "draft": True},
    "At the next free slot": {**_POST, "publishMode": "slot"},
    "With an image": {
        **_POST,
        "media": [{"mediaId": "med_01M7Z0000000000000000000AB", "altText": "A cat asleep on a keyboard"}],
    },
    "A thread": {**_POST, "thread": [{"text": "The second part."}, {"text": "And the last one."}]},
    "Different words for one account": {
        **_POST,
        "platforms": ["bluesky", "mastodon"],
        "targets": [{"accountId": "acc_01M7Z0000000000000000000AB", "text": "Hello, Fediverse!"}],
    },
}


_FANOUT_EXAMPLES = {
    "Listed profiles": {
        "text": "Hello from #signalpost",
        "targets": [{"profileId": "prof_01M7Z0000000000000000000AB", "captionPrefix": "From our bakery: "}],
    },
    "All children, ten minutes apart": {
        "sourceProfileId": "prof_01M7Z0000000000000000000AB",
        "targets": "children",
        "text": "Hello from #signalpost",
        "staggerMinutes": 10,
    },
}
_CSV = {
    "schema": {"type": "string", "contentMediaType": "text/csv", "maxLength": bulk_csv.BYTES_MAX},
    "example": "profileId,platforms,text\nprof_01M7Z0000000000000000000AB,bluesky,Hello\n",
}
_BULK_EXAMPLES = {
    "Two drafts": {"posts": [{**_POST, "externalId": "cms-4711"}, {**_POST, "text": "The soup of the day"}]},
    "Publish all of them or none": {"posts": [_POST], "draft": False, "atomic": True},
}


@routes.post(
    "/posts",
    history="action",
    scope="posts:write",
    raises=NOT_ACCEPTED,
    etag=True,
    examples=_EXAMPLES,
    transaction=False,
)
async def create_post(
    context: AppContext, db: Db | None, caller: Caller, data: PostCreate, fetched: FetchedFiles, keep: Keep | None
) -> Post:
    """Create a post and queue it for every chosen account.

    Without `scheduledAt` it is published now; `draft: true` saves it for later. Publishing happens after the response:
    follow it with a webhook, or with `/posts/{id}/status`.
    """
    return await create.create_post(context, db, caller, data, fetched, keep)


@routes.get("/posts", scope="posts:read")
async def list_posts(context: AppContext, db: Db, caller: Caller, query: PostListQuery, page: Page) -> Listing[Post]:
    """List posts, newest first. Posts in the trash are not included."""
    return await listing.list_posts(context, db, caller, query, page)


@routes.post(
    "/posts/bulk",
    history="action",
    scope="posts:write",
    raises=(TooManyItems, PlanLimitReached, PayloadTooLarge, Unavailable),
    examples=_BULK_EXAMPLES,
    request_types=("application/json", "text/csv"),
    documented_request_body={"text/csv": _CSV},
)
async def create_posts(
    context: AppContext, db: Db, caller: Caller, data: BulkCreate, query: BulkQuery, fetched: FetchedRows
) -> BulkResult:
    """Create up to 50 posts, by default as drafts.

    Each post is checked by itself: what is refused stands in `errors`, all others in `created`. If none is created, or
    one is refused and `atomic` is true, the response is a 422 with the issues of all of them. The plan's limits count
    for all posts together.

    A body of `text/csv` has up to 10,000 rows; `draft` and `atomic` (up to 50 rows) are then query parameters. Fifty
    rows at a time are created together.
    """
    return await bulk.create_posts(context, db, caller, data, query, fetched)


@routes.post("/posts/bulk", history="action", scope="posts:write", variant="text/csv", hidden=True)
async def create_posts_from_csv(
    request: Request, context: AppContext, caller: Caller, query: BulkCsvQuery
) -> RawResponse:
    """Create posts from the rows of a CSV file."""
    result = await bulk_csv.create_posts(context, caller, body_pieces(request), query)
    return RawResponse(result, "application/json", 201)


@routes.post(
    "/posts/fanout",
    history="action",
    scope="posts:write",
    raises=(TooManyItems, PlanLimitReached, PlanFeatureUnavailable),
    examples=_FANOUT_EXAMPLES,
)
async def fan_out_post(
    context: AppContext, db: Db, caller: Caller, data: FanoutCreate, fetched: FetchedOnce
) -> FanoutResult:
    """Create one post for several profiles, each as a post of its own.

    `targets: "children"` takes the children of `sourceProfileId`, by the rules of their links; or list profiles with
    what differs there. What is refused stands in `errors`. If no post is created, or one is refused and `atomic` is
    true, the response is a 422.
    """
    return await fanout.fan_out(context, db, caller, data, fetched)


@routes.post(
    "/posts/validate",
    history="nothing",
    scope="posts:write",
    status=200,
    raises=(NoFreeSlot, ProfileArchived, TestModeOnlySandbox),
    examples=_EXAMPLES,
)
async def validate_post(
    context: AppContext, db: Db, caller: Caller, data: PostCreate, fetched: FetchedFiles
) -> PostValidation:
    """Validate a post without saving it: errors and warnings of its networks, and the length of each text."""
    return await validate.validate_post(context, db, caller, data, fetched)


@routes.get("/posts/stats", scope="posts:read")
async def get_post_stats(context: AppContext, db: Db, caller: Caller, query: ProfileQuery) -> PostStats:
    """Count posts by status, and their targets by result."""
    return await stats.get_stats(context, db, caller, query)


@routes.get("/posts/calendar", scope="posts:read")
async def get_post_calendar(context: AppContext, db: Db, caller: Caller, query: CalendarQuery) -> PostCalendar:
    """Return the posts of up to six weeks day by day: how many there are, and the first of each day.

    A post stands at its schedule, else at its publication, else at its creation. For all posts of a day, list them
    with `from` and `to`.
    """
    return await calendar.read_calendar(context, db, caller, query)


@routes.get("/posts/trash", scope="posts:read", limit_default=LIST_ALL)
async def list_trash(context: AppContext, db: Db, caller: Caller, query: ProfileQuery, page: Page) -> Listing[Post]:
    """List posts in the trash, the most recently trashed first. Posts are deleted permanently after 30 days."""
    return await listing.list_trash(context, db, caller, query, page)


@routes.get("/posts/{id}", scope="posts:read", etag=True)
async def get_post(post: MyStoredPost) -> Conditional[Post]:
    """Return a post with its targets."""
    return views.conditional_post(post)


@routes.patch(
    "/posts/{id}",
    scope="posts:write",
    history="action",
    raises=(*NOT_ACCEPTED, InvalidState, VersionConflict, Forbidden),
    etag=True,
)
async def update_post(
    post: MyPost,
    context: AppContext,
    db: Db,
    caller: Caller,
    data: PostUpdate,
    if_match: IfMatch,
    fetched: FetchedFiles,
) -> Post:
    """Change a post until its publishing begins.

    `scheduledAt` schedules the post; null makes it a draft. Tags, notes, campaign and externalId can always be changed.
    """
    return await update.update_post(context, db, caller, post, data, if_match, fetched)


@routes.delete("/posts/{id}", history="action", scope="posts:write", raises=(InvalidState, VersionConflict, Forbidden))
async def delete_post(
    post: AnyPost, context: AppContext, caller: Caller, query: PostDeleteQuery, if_match: IfMatch
) -> PostDeletion:
    """Move a post to the trash and take it off the queue. Repeating the request changes nothing.

    `permanent=true` deletes the post permanently; `cascade=true` also removes it from the networks: the response waits
    for them up to five seconds, and says what they refused (`platformErrors`) and if one is still asked (`pending`).
    """
    return await trash.delete_post(context, caller, post, query, if_match)


@routes.post(
    "/posts/{id}/restore",
    history="action",
    scope="posts:write",
    raises=(InvalidState, ExternalIdConflict, PlanLimitReached, ProfileArchived),
    etag=True,
)
async def restore_post(post: AnyPost, context: AppContext, db: Db, caller: Caller) -> Post:
    """Restore a post from the trash, with its schedule if that is still in the future.

    What a cascade has removed from networks, or is removing, stays removed: `warnings` name it.
    """
    return await trash.restore_post(context, db, caller, post)


@routes.get("/posts/{id}/status", scope="posts:read")
async def get_post_status(post: MyPost, db: Db) -> PostProgress:
    """Return the progress of a post, target by target."""
    return views.post_progress(post, await queries.targets_of(db, [post.id]))


@routes.get("/posts/{id}/audit", scope="posts:read", limit_default=LIST_ALL)
async def list_post_audit(post_id: PostId, db: Db, caller: Caller, page: Page) -> Listing[AuditEntry]:
    """List the audit log of a post, newest first, also when the post was deleted permanently."""
    return await listing.list_audit(db, caller, post_id, page)


@routes.post(
    "/posts/{id}/request-approval",
    history="action",
    scope="posts:write",
    status=200,
    raises=(InvalidState, VersionConflict, PlanFeatureUnavailable, ProfileArchived),
    etag=True,
)
async def request_post_approval(
    post: MyPost, context: AppContext, db: Db, caller: Caller, if_match: IfMatch, data: PostApprove = NO_NOTE
) -> Post:
    """Request approval of a draft. A change while it is pending requests it again."""
    return await approve.request_approval(context, db, caller, post, data, if_match)


@routes.post(
    "/posts/{id}/approve",
    history="action",
    scope="posts:read",
    status=200,
    raises=(*NOT_ACCEPTED, InvalidState, VersionConflict, Forbidden),
    etag=True,
)
async def approve_post(
    post: MyPost, context: AppContext, db: Db, caller: Caller, if_match: IfMatch, data: PostApprove = NO_NOTE
) -> Post:
    """Approve a post. It is published at its scheduled time, or now if it has none.

    Send the version that you read, in `If-Match` or as `version`: if the post was changed since, nothing is approved.
    """
    return await approve.approve_post(context, db, caller, post, data, if_match)


@routes.post(
    "/posts/{id}/reject",
    history="action",
    scope="posts:read",
    status=200,
    raises=(InvalidState, VersionConflict, Forbidden),
    etag=True,
)
async def reject_post(
    post: MyPost, context: AppContext, db: Db, caller: Caller, if_match: IfMatch, data: PostReject = REJECTED
) -> Post:
    """Reject a post, or request changes. Its author changes it and requests approval again."""
    return await approve.reject_post(context, db, caller, post, data, if_match)


@routes.post("/posts/auto-schedule", history="action", scope="posts:write", raises=(Forbidden, PlanLimitReached))
async def auto_schedule_posts(context: AppContext, db: Db, caller: Caller, data: PostsSchedule) -> AutoScheduled:
    """Schedule drafts for the first free times of the days to come, in the order in which they are named.

    A time is passed over for a draft if one of its accounts publishes something else then. If a day has more posts than
    `timeSlots`, extra times are spread evenly between 08:00 and 22:00. Posts that cannot be scheduled are skipped, with
    the reason; if the plan does not cover all others, none is scheduled. `best_times` uses the hours at which your
    posts do best, or those that usually do, if their numbers show no pattern (`basis`).
    """
    return await auto_schedule.auto_schedule(context, db, caller, data)
