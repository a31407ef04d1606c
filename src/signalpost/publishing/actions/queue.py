"""What callers do to the queue: put a post on it, take it off, try again what failed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import clock, ids, log, problems
from signalpost.kit.db import Db
from signalpost.posts import queries as posts
from signalpost.posts.actions import accept, draft, rows, trash, update
from signalpost.posts.actions.rows import Entry
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.schemas.responses import PostProgress
from signalpost.posts.states import WAITING
from signalpost.publishing import queries
from signalpost.publishing.actions import tell
from signalpost.publishing.errors import NothingToRetry
from signalpost.publishing.schemas import Cancelled, NeverQueued, QueueEntry, RetryPost, SubmitPost
from signalpost.web.caller import Caller

SUBMITTED: Final = ("draft", "scheduled", "failed")
UNKNOWN: Final = "outcome_unknown"


async def submit_post(
    context: AppContext, db: Db, caller: Caller, row: PostRow, wish: SubmitPost
) -> QueueEntry | NeverQueued:
    """Put a post on the queue: at the wished time, else its own if that lies ahead, else now.

    Raises:
        InvalidState: it is on the queue already, on its way, or published.
        NothingToRetry: it failed, and of no target it is known that it did not go out.
        and what `create_post` raises.
    """
    accept.require_publishing(caller)
    if posts.shown_status(row, await posts.targets_of(db, [row.id])) not in SUBMITTED:
        raise problems.InvalidState(
            f"Only drafts, scheduled and failed posts can be submitted; this one is {row.status}."
        )
    at = wish.scheduled_at
    if at is None and row.scheduled_at is not None and row.scheduled_at > clock.now():
        at = clock.wire(row.scheduled_at)
    if row.status == "failed":
        await _resubmit(context, db, caller, row, at)
    else:
        given = {"publish_mode": "now"} if at is None else {"scheduled_at": at}
        await update.change(context, db, caller, row, given, action="updated")
    found = await posts.find_mine(db, caller, row.id)
    if found is None:
        raise problems.NotFound
    if row.status == "scheduled" and row.queued_at is not None:  # accepted before, and now once more
        await accept.tell_queued(context, db, found, await posts.targets_of(db, [found.id]))
    return await queries.entry(db, found)


async def _resubmit(context: AppContext, db: Db, caller: Caller, row: PostRow, at: str | None) -> None:
    """Queue a failed post anew, as it may have been corrected: judged like a new one."""
    given: dict[str, Any] = {"publish_mode": "now"} if at is None else {"scheduled_at": at}
    data, unchanged = update.merged(row, await posts.targets_of(db, [row.id]), given)
    post_draft = await draft.build_draft(db, caller, data, unchanged)
    draft.require_preflight(post_draft)
    post, targets = await _locked(db, row)
    await _requeue(context, db, caller, post, targets, RetryPost(), post_draft.scheduled_at)


async def retry_post(context: AppContext, db: Db, caller: Caller, row: PostRow, wish: RetryPost) -> PostProgress:
    """Try failed targets again, now. Published ones are never touched.

    Raises:
        NothingToRetry: no target can be tried again.
        ValidationFailed: a target that the post does not have.
    """
    accept.require_publishing(caller)
    post, targets = await _locked(db, row)
    known = {target.id for target in targets}
    for index, text in enumerate(wish.target_ids or ()):
        if ids.decode("tgt", text) not in known:
            raise problems.invalid(f"/targetIds/{index}", "not_found", "The post has no such target.")
    await _requeue(context, db, caller, post, targets, wish, None)
    return posts.progress(post, targets)


_AGAIN = """
update target set status = 'pending', due_at = $2, next_attempt_at = $2, held_reason = $3, error = null,
    dedupe_key = case when id = any($4) then $5 || right(id::text, 12) else dedupe_key end,
    steps = case when id = any($4) then steps - coalesce(intent ->> 'step', '') else steps end,
    intent = null, pending_state = null, updated_at = now()
where id = any($1)
returning id, next_attempt_at, dedupe_key
"""
_QUEUED = "update post set status = $2, queued_at = $3, version = version + 1, updated_at = now() where id = $1"
_WAKE = "select wake_lanes('target', $1, $2, $3, $4)"
_AUDIT = """
insert into audit (id, workspace_id, post_id, action, actor, changes, request_id) values ($1, $2, $3, $4, $5, $6, $7)
"""


async def _requeue(
    context: AppContext,
    db: Db,
    caller: Caller,
    post: PostRow,
    targets: Sequence[TargetRow],
    wish: RetryPost,
    at: datetime | None,
) -> None:
    """Queue failed targets again. A lost one, posted again on purpose, is another post to the network."""
    wished = None if wish.target_ids is None else {ids.decode("tgt", text) for text in wish.target_ids}
    chosen = [
        target
        for target in targets
        if target.status == "failed"
        and (wished is None or target.id in wished)
        and (wish.include_unknown or not _is_lost(target))
    ]
    if not chosen:
        raise NothingToRetry(_why_nothing(targets))
    now: datetime = await db.fetchval("select now()")
    due, held = at or now, accept.held_reason_of(post.approval)
    lost = [target.id for target in chosen if _is_lost(target)]
    written = await db.fetch(_AGAIN, [target.id for target in chosen], due, held, lost, ids.new_id().hex)
    keys = {row["id"]: row["dedupe_key"] for row in written}
    for target in chosen:
        target.status, target.error, target.held_reason, target.dedupe_key = "pending", None, held, keys[target.id]
        target.due_at = target.next_attempt_at = due
    await _accepted(context, db, caller, post, targets, chosen, now)


def _is_lost(target: TargetRow) -> bool:
    return target.error is not None and target.error.get("code") == UNKNOWN


def _why_nothing(targets: Sequence[TargetRow]) -> str:
    if any(target.status == "failed" and _is_lost(target) for target in targets):
        return "It is not known whether this post went out. Send includeUnknown: true to post it again."
    return "No target of this post has failed."


async def _accepted(
    context: AppContext,
    db: Db,
    caller: Caller,
    post: PostRow,
    targets: Sequence[TargetRow],
    chosen: Sequence[TargetRow],
    now: datetime,
) -> None:
    post.status, post.queued_at, post.version = posts.derive(targets, now), clock.now(), post.version + 1
    await db.execute(_QUEUED, post.id, post.status, post.queued_at)
    lanes = [target.account_id for target in chosen]
    due = [target.next_attempt_at for target in chosen]
    await db.execute(_WAKE, lanes, post.workspace_id, [target.platform for target in chosen], due)
    changes = [{"field": "targets", "from": "failed", "to": [ids.encode("tgt", target.id) for target in chosen]}]
    request_id = log.request_id.get()
    await db.execute(
        _AUDIT, ids.new_id(), post.workspace_id, post.id, "retried", caller.actor, changes, request_id
    )  # fmt: skip
    await accept.tell_queued(context, db, post, targets)


async def cancel_post(context: AppContext, db: Db, caller: Caller, row: PostRow) -> Cancelled:
    """Take off the queue what has not been started; the plan's unit comes back if nothing was.

    Raises:
        InvalidState: nothing of it waits on the queue.
    """
    accept.require_publishing(caller)
    post, targets = await _locked(db, row)
    live = [target for target in targets if target.status != "cancelled"]
    waiting = [target for target in live if target.status in WAITING and target.next_attempt_at is not None]
    started = len(live) - len(waiting)
    if not waiting:
        what = "all of its targets have started" if started and post.queued_at else "it is not on the queue"
        raise problems.InvalidState(f"The post cannot be cancelled: {what}.")
    trash.cancel_waiting(targets)
    if not any(target.started_at for target in targets):
        await rows.give_back(db, post)
    now: datetime = await db.fetchval("select now()")
    post.status = posts.derive(targets, now)
    post.updated_at, post.version = clock.now(), post.version + 1
    if post.status in ("published", "partial") and post.published_at is None:
        post.published_at = now
    await rows.save(db, post, targets, [Entry("cancelled")], actor=caller.actor)
    if post.status in tell.ENDINGS:  # those that had started have ended: these were the last ones
        await tell.post_ended(context, db, post, targets, now)
    return Cancelled(ids.encode("pst", post.id), len(waiting), started)


async def _locked(db: Db, row: PostRow) -> tuple[PostRow, list[TargetRow]]:
    known = await posts.targets_of(db, [row.id])
    locked = await posts.lock(db, row.id, _lanes(known))
    if locked is None or locked[0].deleted_at is not None:
        raise problems.NotFound
    return locked


def _lanes(targets: Sequence[TargetRow]) -> list[UUID]:
    return [target.account_id for target in targets]
