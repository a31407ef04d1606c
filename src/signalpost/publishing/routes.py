from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InvalidState, Unavailable
from signalpost.posts import queries as posts
from signalpost.posts.errors import DuplicateContent, PreflightFailed, ScheduleInPast, ScheduleTooFar
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.responses import PostProgress
from signalpost.profiles.errors import ProfileArchived
from signalpost.publishing import queries
from signalpost.publishing.actions import process, queue
from signalpost.publishing.errors import InvalidQueueSecret, NothingToRetry
from signalpost.publishing.schemas import (
    NeverQueued,
    PostCancellation,
    PostRetry,
    PostSubmit,
    QueueEntry,
    QueueProcess,
    QueueRun,
    TargetResolve,
)
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import PostId
from signalpost.web.inputs import Mine
from signalpost.web.request import Request
from signalpost.web.routing import Routes

routes = Routes("Queue")

MyPost = Annotated[PostRow, Mine(PostId, posts.find_mine, why_absent=posts.why_absent)]
NOT_ACCEPTED = (PreflightFailed, DuplicateContent, ScheduleInPast, ScheduleTooFar, PlanLimitReached, ProfileArchived)
SUBMIT_DEFAULT, PROCESS_DEFAULT, RETRY_DEFAULT = PostSubmit(), QueueProcess(), PostRetry()
"""For requests without a body."""


@routes.post(
    "/queue/submit/{postId}",
    scope="posts:write",
    history="action",
    raises=(*NOT_ACCEPTED, InvalidState, NothingToRetry, Forbidden),
)
async def submit_post(
    post: MyPost, context: AppContext, db: Db, caller: Caller, data: PostSubmit = SUBMIT_DEFAULT
) -> QueueEntry | NeverQueued:
    """Put a draft, a scheduled or a failed post on the queue.

    It is published at `scheduledAt`, otherwise at its own time if that lies ahead, otherwise now. A post that needs
    approval is held until someone approves it.
    """
    return await queue.submit_post(context, db, caller, post, data)


@routes.delete("/queue/cancel/{postId}", scope="posts:write", history="action", raises=(InvalidState, Forbidden))
async def cancel_post(post: MyPost, context: AppContext, db: Db, caller: Caller) -> PostCancellation:
    """Take a post off the queue: it is a draft again.

    Targets that have started run to their end. If all of them have, nothing is cancelled and the response is 409.
    """
    return await queue.cancel_post(context, db, caller, post)


@routes.get("/queue/status/{postId}", scope="posts:read")
async def get_queue_status(post: MyPost, db: Db) -> QueueEntry | NeverQueued:
    """Return a post's place on the queue, target by target; `state: none` for a post that was never queued."""
    return await queries.queue_entry(db, post)


@routes.post(
    "/queue/process",
    scope=PUBLIC,
    status=200,
    unlimited=True,
    across_workspaces=True,
    history="nothing",
    raises=(InvalidQueueSecret, Unavailable),
)
async def process_queue(context: AppContext, request: Request, data: QueueProcess = PROCESS_DEFAULT) -> QueueRun:
    """Do the work that is due, with the operator's secret in `X-Queue-Secret`.

    The built-in worker does the same all the time: only an installation that runs without one needs this endpoint,
    called from cron. Any number of calls at the same time is safe.
    """
    return await process.process_queue(context, request.headers.get("x-queue-secret"), data)


@routes.post(
    "/posts/{id}/retry",
    scope="posts:publish",
    history="action",
    raises=(NothingToRetry, InvalidState, ProfileArchived, Forbidden),
)
async def retry_post(
    post: MyPost, context: AppContext, db: Db, caller: Caller, data: PostRetry = RETRY_DEFAULT
) -> PostProgress:
    """Try failed targets again, now.

    Published targets are never touched, and what was already done for a failed one (files uploaded, parts of a thread
    posted) is not done twice. A target with `outcome_unknown` may be public already: look at the account first, then
    send `includeUnknown: true` to post it again.
    """
    return await queue.retry_post(context, db, caller, post, data)


@routes.post(
    "/posts/{id}/resolve",
    scope="posts:publish",
    status=200,
    history="action",
    raises=(NothingToRetry, InvalidState, ProfileArchived, Forbidden),
)
async def resolve_target(
    post: MyPost, context: AppContext, db: Db, caller: Caller, data: TargetResolve
) -> PostProgress:
    """Say what became of a target whose outcome is unknown, after a look at the account.

    If the post is there, the target is `published`, with your link if you send one; that is possible as soon as it is
    `unknown`. If it is not, it is sent again; that is possible when the service has stopped asking the network, which
    may still find it. Repeating the call changes nothing.
    """
    return await queue.resolve_target(context, db, caller, post, data)
