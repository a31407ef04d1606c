"""What callers do to the queue: put a post on it, take it off, try failed targets again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.wake import wake
from signalpost.kit import clock, ids, log, problems
from signalpost.kit.db import Db
from signalpost.posts import queries as posts
from signalpost.posts.actions import accept, draft, rows, trash, update
from signalpost.posts.actions.rows import Entry
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.schemas.responses import PostProgress
from signalpost.posts.states import WAITING
from signalpost.publishing import queries, views
from signalpost.publishing.actions import tell
from signalpost.publishing.errors import NothingToRetry
from signalpost.publishing.schemas import NeverQueued, PostCancellation, PostRetry, PostSubmit, QueueEntry
from signalpost.web.caller import Caller
from signalpost.web.fields import TargetId

SUBMITTABLE: Final = ("draft", "scheduled", "failed")
OUTCOME_UNKNOWN: Final = "outcome_unknown"


async def submit_post(
    context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostSubmit
) -> QueueEntry | NeverQueued:
    """Put a post on the queue: at the requested time, otherwise at its own time if that lies ahead, otherwise now.

    Raises:
        InvalidState: it is on the queue already, being published, or published.
        NothingToRetry: it failed, and no target is known not to have gone out.
        and what `create_post` raises.
    """
    accept.require_publishing(caller)
    if posts.shown_status(post, await posts.targets_of(db, [post.id])) not in SUBMITTABLE:
        raise problems.InvalidState(
            f"Only drafts, scheduled and failed posts can be submitted; this post is {post.status}."
        )
    scheduled_at = data.scheduled_at
    if scheduled_at is None and post.scheduled_at is not None and post.scheduled_at > clock.now():
        scheduled_at = clock.wire(post.scheduled_at)
    changes: dict[str, Any] = {"publish_mode": "now"} if scheduled_at is None else {"scheduled_at": scheduled_at}
    if post.status == "failed":
        await _resubmit(context, db, caller, post, changes)
    else:
        await update.change(context, db, caller, post, changes, action="updated")
    submitted = await posts.find_mine(db, caller, post.id)
    if submitted is None:
        raise problems.NotFound
    if post.status == "scheduled" and post.queued_at is not None:  # it was queued before, and is queued again
        await accept.tell_queued(context, db, submitted, await posts.targets_of(db, [submitted.id]))
    return await queries.queue_entry(db, submitted)


async def _resubmit(context: AppContext, db: Db, caller: Caller, post: PostRow, changes: dict[str, Any]) -> None:
    """Queue a failed post again. It may have been corrected meanwhile, so it is checked like a new one."""
    data, unchanged = update.merged(post, await posts.targets_of(db, [post.id]), changes)
    post_draft = await draft.build_draft(db, caller, data, unchanged)
    draft.require_preflight(post_draft)
    locked, targets = await _lock(db, post)
    await _requeue(context, db, caller, locked, targets, PostRetry(), post_draft.scheduled_at)


async def retry_post(context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostRetry) -> PostProgress:
    """Try failed targets again, now. Published targets are never touched.

    Raises:
        NothingToRetry: no target can be tried again.
        ValidationFailed: the post does not have one of these targets.
    """
    accept.require_publishing(caller)
    locked, targets = await _lock(db, post)
    target_ids = {target.id for target in targets}
    errors = [
        TargetId.not_found(f"/targetIds/{index}")
        for index, target_id in enumerate(data.target_ids or ())
        if target_id not in target_ids
    ]
    if errors:
        raise problems.ValidationFailed(errors=errors)
    await _requeue(context, db, caller, locked, targets, data, None)
    return posts.progress(locked, targets)


_REQUEUE = """
update target set status = 'pending', due_at = $2, next_attempt_at = $2, held_reason = $3, error = null,
    dedupe_key = case when id = any($4) then $5 || right(id::text, 12) else dedupe_key end,
    steps = case when id = any($4) then steps - coalesce(intent ->> 'step', '') else steps end,
    intent = null, pending_state = null, updated_at = now()
where id = any($1)
returning id, next_attempt_at, dedupe_key
"""
_QUEUED = "update post set status = $2, queued_at = $3, version = version + 1, updated_at = now() where id = $1"
_AUDIT = """
insert into audit (id, workspace_id, post_id, action, actor, changes, request_id) values ($1, $2, $3, $4, $5, $6, $7)
"""


async def _requeue(
    context: AppContext,
    db: Db,
    caller: Caller,
    post: PostRow,
    targets: Sequence[TargetRow],
    data: PostRetry,
    scheduled_at: datetime | None,
) -> None:
    """Queue failed targets again. To the network, one with an unknown outcome is a new post."""
    retried = [target for target in targets if _is_retried(target, data)]
    if not retried:
        raise NothingToRetry(_why_nothing(targets))
    now: datetime = await db.fetchval("select now()")
    due_at, held_reason = scheduled_at or now, accept.held_reason_of(post.approval)
    unknown = [target.id for target in retried if _is_unknown(target)]
    rows_ = await db.fetch(
        _REQUEUE, [target.id for target in retried], due_at, held_reason, unknown, ids.new_id().hex
    )  # fmt: skip
    dedupe_keys = {row["id"]: row["dedupe_key"] for row in rows_}
    for target in retried:
        target.status, target.error, target.held_reason = "pending", None, held_reason
        target.due_at = target.next_attempt_at = due_at
        target.dedupe_key = dedupe_keys[target.id]
    post.status, post.queued_at, post.version = posts.derive(targets, now), clock.now(), post.version + 1
    await db.execute(_QUEUED, post.id, post.status, post.queued_at)
    await wake(
        db,
        "target",
        [target.account_id for target in retried],
        workspace_id=post.workspace_id,
        platforms=[target.platform for target in retried],
        due=[target.next_attempt_at for target in retried],
    )
    changes = [{"field": "targets", "from": "failed", "to": [ids.encode("tgt", target.id) for target in retried]}]
    request_id = log.request_id.get()
    await db.execute(
        _AUDIT, ids.new_id(), post.workspace_id, post.id, "retried", caller.actor, changes, request_id
    )  # fmt: skip
    await accept.tell_queued(context, db, post, targets)


def _is_retried(target: TargetRow, data: PostRetry) -> bool:
    if target.status != "failed" or (_is_unknown(target) and not data.include_unknown):
        return False
    return data.target_ids is None or target.id in data.target_ids


def _is_unknown(target: TargetRow) -> bool:
    return target.error is not None and target.error.get("code") == OUTCOME_UNKNOWN


def _why_nothing(targets: Sequence[TargetRow]) -> str:
    if any(target.status == "failed" and _is_unknown(target) for target in targets):
        return "It is not known whether this post went out. Send includeUnknown: true to post it again."
    return "No target of this post has failed."


async def cancel_post(context: AppContext, db: Db, caller: Caller, post: PostRow) -> PostCancellation:
    """Take targets that have not started off the queue; the plan gets its unit back if none had started.

    Raises:
        InvalidState: no target is waiting on the queue.
    """
    accept.require_publishing(caller)
    locked, targets = await _lock(db, post)
    live = [target for target in targets if target.status != "cancelled"]
    waiting = [target for target in live if target.status in WAITING and target.next_attempt_at is not None]
    started = len(live) - len(waiting)
    if not waiting:
        reason = "all of its targets have started" if started and locked.queued_at else "it is not on the queue"
        raise problems.InvalidState(f"The post cannot be cancelled: {reason}.")
    trash.cancel_waiting(targets)
    if not any(target.started_at for target in targets):
        await rows.give_back(db, locked)
    now: datetime = await db.fetchval("select now()")
    locked.status = posts.derive(targets, now)
    locked.updated_at, locked.version = clock.now(), locked.version + 1
    if locked.status in ("published", "partial") and locked.published_at is None:
        locked.published_at = now
    await rows.save(db, locked, targets, [Entry("cancelled")], actor=caller.actor)
    if locked.status in tell.ENDINGS:  # the targets that had started have all ended: the post has ended too
        await tell.post_ended(context, db, locked, targets, now)
    return views.post_cancellation(locked, cancelled_targets=len(waiting), started_targets=started)


async def _lock(db: Db, post: PostRow) -> tuple[PostRow, list[TargetRow]]:
    account_ids = [target.account_id for target in await posts.targets_of(db, [post.id])]
    locked = await posts.lock(db, post.id, account_ids)
    if locked is None or locked[0].deleted_at is not None:
        raise problems.NotFound
    return locked
