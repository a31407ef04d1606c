"""What callers do to the queue: put a post on it, take it off, try failed targets again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.networks.contract import Published
from signalpost.posts import progress
from signalpost.posts import queries as posts
from signalpost.posts import views as post_views
from signalpost.posts.change import trash, update
from signalpost.posts.change.removals import being_removed
from signalpost.posts.compose import preflight
from signalpost.posts.documents import Change
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.schemas.responses import PostProgress
from signalpost.posts.states import sources
from signalpost.posts.write import approvals, audit, emit, permissions, series, writer
from signalpost.posts.write.enqueue import cancel_waiting, enqueue
from signalpost.posts.write.lock import lock_post
from signalpost.posts.write.wake import wake_targets
from signalpost.profiles import queries as profiles
from signalpost.publishing import queries, views
from signalpost.publishing.actions.change import write_ends
from signalpost.publishing.attempt import End
from signalpost.publishing.errors import NothingToRetry
from signalpost.publishing.policy import TargetChange
from signalpost.publishing.schemas import (
    NeverQueued,
    PostCancellation,
    PostRetry,
    PostSubmit,
    QueueEntry,
    TargetResolve,
)
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId, TargetId
from signalpost.web.inputs import deleted_meanwhile

SUBMITTABLE: Final = ("draft", "scheduled", "failed")
OUTCOME_UNKNOWN: Final = "outcome_unknown"


async def submit_post(
    context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostSubmit
) -> QueueEntry | NeverQueued:
    """Put a post on the queue: at the requested time, otherwise at its own time if that lies ahead, otherwise now.

    A draft that gave up its slot gets the next free one.

    Raises:
        InvalidState: it is on the queue already, being published, or published.
        NothingToRetry: it failed, and no target is known not to have gone out.
        and what `create_post` raises.
    """
    permissions.require_publishing(caller)
    permissions.require_ownership(caller, post)
    if progress.current_status(post, await posts.targets_of(db, [post.id])) not in SUBMITTABLE:
        raise problems.InvalidState(
            f"Only drafts, scheduled and failed posts can be submitted; this post is {post.status}."
        )
    scheduled_at = data.scheduled_at
    if scheduled_at is None and post.scheduled_at is not None and post.scheduled_at > clock.now():
        scheduled_at = clock.wire(post.scheduled_at)
    changes: dict[str, Any] = {"publish_mode": "now"} if scheduled_at is None else {"scheduled_at": scheduled_at}
    if data.scheduled_at is None and post.publish_mode == "slot":
        changes = {"publish_mode": "slot"} if post.status == "draft" else {}
    if post.status == "failed":
        await _resubmit(context, db, caller, post, changes)
    else:
        await update.apply_changes(context, db, caller, post, changes, purpose=update.Purpose())
    submitted = await posts.find_mine(db, caller, post.id)
    if submitted is None:
        raise deleted_meanwhile(PostId, post.id)
    if post.status == "scheduled" and post.queued_at is not None:  # it was queued before, and is queued again
        await emit.post_queued(context, db, submitted, await posts.targets_of(db, [submitted.id]))
    return await queries.queue_entry(db, submitted)


async def _resubmit(context: AppContext, db: Db, caller: Caller, post: PostRow, changes: dict[str, Any]) -> None:
    """Queue a failed post again. It may have been corrected meanwhile, so it is checked like a new one."""
    draft = await update.build_merged(context, db, caller, post, await posts.targets_of(db, [post.id]), changes)
    preflight.require_accepted(await preflight.run_preflight(context, draft))
    locked, targets = await lock_post(db, post)
    await _requeue(context, db, caller, locked, targets, PostRetry(), draft.post.scheduled_at)


async def retry_post(context: AppContext, db: Db, caller: Caller, post: PostRow, data: PostRetry) -> PostProgress:
    """Try failed targets again, now. Published targets are never touched.

    Raises:
        NothingToRetry: no target can be tried again.
        ProfileArchived: the profile of the post is archived.
        ValidationFailed: the post does not have one of these targets.
    """
    permissions.require_publishing(caller)
    await profiles.require_in_use(db, post.workspace_id, post.profile_id)
    locked, targets = await lock_post(db, post)
    target_ids = {target.id for target in targets}
    errors = [
        TargetId.not_found(f"/targetIds/{index}")
        for index, target_id in enumerate(data.target_ids or ())
        if target_id not in target_ids
    ]
    if errors:
        raise problems.ValidationFailed(errors=errors)
    await _requeue(context, db, caller, locked, targets, data, None)
    return post_views.post_progress(locked, targets)


async def resolve_target(
    context: AppContext, db: Db, caller: Caller, post: PostRow, data: TargetResolve
) -> PostProgress:
    """Take a person's word for what a network did not say: the post is there, or it is not and is sent again.

    What is there already stays as it is, and so does what is on its way again.

    Raises:
        ValidationFailed: the post does not have this target.
        InvalidState: the network said what became of it, or is still being asked.
        ProfileArchived: it is to be sent again, and the profile of the post is archived.
    """
    permissions.require_publishing(caller)
    if data.outcome != "published":
        await profiles.require_in_use(db, post.workspace_id, post.profile_id)
    locked, targets = await lock_post(db, post)
    target = next((target for target in targets if target.id == data.target_id), None)
    if target is None:
        raise problems.ValidationFailed(errors=[TargetId.not_found("/targetId")])
    is_there = data.outcome == "published"
    if target.status == "published" if is_there else target.status in ("pending", "retrying", "publishing"):
        return post_views.post_progress(locked, targets)
    if target.status == "unknown" and not is_there:
        raise _nothing_to_retry(targets)
    if target.status != "unknown" and not (target.status == "failed" and _is_unknown(target)):
        raise problems.InvalidState(
            f"What became of the post on {target.platform} is known: {target.status}.",
            remediation="`POST /posts/{id}/retry` tries failed targets again.",
        )
    if is_there:
        published = Published(remote_id="", url=data.url)
        change = TargetChange(status="published", published=published, closes_intent=True)
        await write_ends(context, db, [End(target.id, locked.id, change, "reconcile", actor=caller.actor)])
        locked, targets = await lock_post(db, post)
    else:
        retry = PostRetry(target_ids=[data.target_id], include_unknown=True)
        await _requeue(context, db, caller, locked, targets, retry, None)
    return post_views.post_progress(locked, targets)


_REQUEUE = """
update target set status = 'pending', due_at = $2, next_attempt_at = $2, held_reason = $3, error = null,
    dedupe_key = case when id = any($4) then $5 || right(id::text, 12) else dedupe_key end,
    steps = case when id = any($4) then steps - coalesce(intent ->> 'step', '') else steps end,
    intent = null, pending_state = null, updated_at = now()
where id = any($1) and status = any($6)
returning id, dedupe_key
"""
_QUEUED = """
update post set status = $2, queued_at = $3, scheduled_at = coalesce($4, scheduled_at), published_at = null,
    version = version + 1, updated_at = now()
where id = $1
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
        raise _nothing_to_retry(targets)
    await _require_no_removal(db, retried)
    now: datetime = await db.fetchval("select now()")
    due_at, held_reason = scheduled_at or now, approvals.held_reason(post.approval)
    unknown = [target.id for target in retried if _is_unknown(target)]
    rows_ = await db.fetch(
        _REQUEUE, [target.id for target in retried], due_at, held_reason, unknown, ids.new_id().hex,
        sources("pending"),
    )  # fmt: skip
    dedupe_keys = {row["id"]: row["dedupe_key"] for row in rows_}
    for target in retried:
        enqueue(target, due_at, held_reason=held_reason)
        target.dedupe_key = dedupe_keys[target.id]
    post.status, post.queued_at, post.version = progress.status_of(targets, now), clock.now(), post.version + 1
    post.scheduled_at = scheduled_at or post.scheduled_at
    post.published_at = None  # until the last of its targets is published again
    await db.execute(_QUEUED, post.id, post.status, post.queued_at, scheduled_at)
    await wake_targets(db, post.workspace_id, retried)
    changes = [Change("targets", "failed", [ids.encode("tgt", target.id) for target in retried])]
    await audit.record(db, [audit.entry(post, "retried", caller.actor, changes=changes)])
    await emit.post_queued(context, db, post, targets)


async def _require_no_removal(db: Db, targets: Sequence[TargetRow]) -> None:
    """Refuse to go on with a thread whose public parts are being removed: the rest would reply to nothing.

    Raises:
        InvalidState: the removal waits, or runs.
    """
    public = {target.id: target.platform for target in targets if target.remote_id is not None}
    if public and (removed := await being_removed(db, list(public))):
        raise problems.InvalidState(
            f"What is public of this post is being removed from {public[removed[0]]},"
            " as requested when it was deleted. Try again when that is done."
        )


def _is_retried(target: TargetRow, data: PostRetry) -> bool:
    if target.status != "failed" or (_is_unknown(target) and not data.include_unknown):
        return False
    return data.target_ids is None or target.id in data.target_ids


def _is_unknown(target: TargetRow) -> bool:
    return target.error is not None and target.error.code == OUTCOME_UNKNOWN


def _nothing_to_retry(targets: Sequence[TargetRow]) -> NothingToRetry:
    if any(target.status == "failed" and _is_unknown(target) for target in targets):
        return NothingToRetry(
            "It is unknown whether this post was published.",
            remediation="Look at the account. If the post is not there, send `includeUnknown: true` to post it again.",
        )
    for target in targets:
        if target.status == "unknown" and target.next_attempt_at is not None:
            return NothingToRetry(
                f"Whether {target.platform} has this post is still being found out.",
                remediation=f"{target.platform} is asked again at {clock.wire(target.next_attempt_at)}; wait for that.",
            )
    return NothingToRetry(
        "No target of this post has failed.", remediation="`GET /posts/{id}/status` says what each target waits for."
    )


async def cancel_post(context: AppContext, db: Db, caller: Caller, post: PostRow) -> PostCancellation:
    """Take targets that have not started off the queue; the plan gets its unit back if none had started.

    A target of which a part is public ends as failed.

    Raises:
        InvalidState: no target is waiting on the queue.
    """
    permissions.require_cancelling(caller, post)
    await series.lock_series(db, post)
    locked, targets = await lock_post(db, post)
    permissions.require_cancelling(caller, locked)  # it may have been approved meanwhile
    live = [target for target in targets if target.status != "cancelled"]
    now: datetime = await db.fetchval("select now()")
    cancelled, stopped = cancel_waiting(targets, now)
    started = len(live) - len(cancelled)
    if not cancelled and not stopped:
        reason = "all of its targets have started" if started and locked.queued_at else "it is not on the queue"
        raise problems.InvalidState(f"The post cannot be cancelled: {reason}.")
    if not any(target.started_at for target in targets):
        await writer.refund(db, locked)
    locked.status = progress.status_of(targets, now)
    locked.updated_at, locked.version = clock.now(), locked.version + 1
    locked.published_at = progress.published_at(locked.status, targets)
    await writer.update(db, locked, targets, [audit.entry(locked, "cancelled", caller.actor)])
    await emit.stopped(context, db, locked, targets, stopped, now)  # also if all that had started have ended
    if locked.recurrence is not None:
        await trash.stop_series(context, db, caller, locked)
    return views.post_cancellation(locked, cancelled_targets=len(cancelled), started_targets=started)
