"""One attempt at a target: begun before the network is asked, ended with its outcome. Under the lane's lease."""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.accounts.queries import AccountRow
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.media import queries as media
from signalpost.media.queries import MediaRow
from signalpost.networks.contract import Connector, OutcomeUnknown, Published, TryLater
from signalpost.posts import content, progress
from signalpost.posts import queries as posts
from signalpost.posts.actions import audit, emit
from signalpost.posts.content import Content
from signalpost.posts.documents import AttemptRecord, FirstComment
from signalpost.posts.documents import Change as AuditChange
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.states import OVER, UNDER_WAY, WAITING, move
from signalpost.posts.target_errors import target_error
from signalpost.publishing import queries
from signalpost.publishing.outcomes import RETRY_SECONDS, settle
from signalpost.publishing.policy import BACKLOG_SECONDS, AttemptKind, Change, Postponed, TargetSnapshot, decide
from signalpost.publishing.queries import DueTarget, TargetContext

SYSTEM: Final = Actor(type="system", id=None, name="publisher")


class LockedTarget(NamedTuple):
    """A target with its post and its siblings, locked until the transaction ends."""

    post: PostRow
    targets: list[TargetRow]
    target: TargetRow


class Attempt(NamedTuple):
    """An attempt that has begun: its row is committed, the network has not been asked."""

    id: UUID
    number: int
    kind: AttemptKind
    target: DueTarget
    snapshot: TargetSnapshot
    connector: Connector
    account: AccountRow
    secrets_version: int
    content: Content
    files: list[MediaRow]
    steps: dict[str, Any]
    dedupe_key: str
    created_at: datetime


class CallRecord(NamedTuple):
    """What the attempt's record says of the call."""

    duration_ms: int
    request: dict[str, Any] | None = None
    http_status: int | None = None
    response: str | None = None


# --- the beginning -------------------------------------------------------------------------------------------------

_CLOSE = "update attempt set finished_at = now(), outcome = $2 where target_id = $1 and finished_at is null"
_START = """
with begun as (
    insert into attempt (id, workspace_id, post_id, target_id, number, kind, owner, content_hash)
    values ($2, $3, $4, $1, $5, $6, $7, $8)
)
update target set status = $9, attempts = $5, tries = $10, crashes = $11, held_reason = null,
    intent = case when $12 then null else intent end, pending_state = case when $12 then null else pending_state end,
    started_at = coalesce(started_at, now()), updated_at = now()
where id = $1
"""
# The next target that is on time comes first, then those of the backlog in their order, a gap apart.
_POSTPONE = """
with waiting as (
    select id, row_number() over (order by due_at < now() - make_interval(secs => $4), next_attempt_at, id) - 1 as nth
    from target
    where account_id = $1 and status = any($5) and (next_attempt_at <= now()
        or (next_attempt_at is not null and held_reason is null and due_at < now() - make_interval(secs => $4)))
)
update target t set updated_at = now(),
    next_attempt_at = greatest(t.next_attempt_at, $2::timestamptz + make_interval(secs => w.nth * $3))
from waiting w where t.id = w.id
"""


async def begin(
    context: AppContext, db: Db, due: DueTarget, *, account_id: UUID, owner: UUID
) -> Attempt | Change | None:
    """Read the target with everything it depends on; start an attempt if one may be made.

    Returns:
        The attempt; or the change that was written instead; or None if there is nothing to do any more.
    """
    locked = await _lock(db, due)
    if locked is None:
        return None
    target_context = await queries.load_context(db, due.id, locked.post.profile_id)
    if not _is_due(target_context):
        return None  # cancelled, edited or moved since it was claimed
    if target_context.crashed:  # its worker died, or lost the lease
        await db.execute(_CLOSE, due.id, "crashed")
    connector = networks.get(due.platform)
    snapshot = _snapshot(locked, target_context, connector)
    decision = decide(snapshot)
    if isinstance(decision, Postponed):
        gap_seconds = float(target_context.gap_seconds)
        await db.execute(_POSTPONE, account_id, decision.until, gap_seconds, BACKLOG_SECONDS, WAITING)
        return None
    if isinstance(decision, Change):
        await apply_change(context, db, locked, decision, target_context.now)
        return decision
    assert connector is not None  # noqa: S101 - otherwise `decide` failed the target
    return await _start(db, locked, target_context, snapshot, connector, owner)


async def _lock(db: Db, due: DueTarget) -> LockedTarget | None:
    locked = await posts.lock(db, due.post_id, [])
    if locked is None:
        return None
    post, targets = locked
    return next((LockedTarget(post, targets, target) for target in targets if target.id == due.id), None)


def _is_due(target_context: TargetContext) -> bool:
    return target_context.next_attempt_at is not None and target_context.next_attempt_at <= target_context.now


async def _start(
    db: Db,
    locked: LockedTarget,
    target_context: TargetContext,
    snapshot: TargetSnapshot,
    connector: Connector,
    owner: UUID,
) -> Attempt:
    post, targets, target = locked
    kind = snapshot.kind
    first = target.status == "pending"
    publishing = kind == "publish"
    tries = snapshot.tries + publishing
    attempt_id, number = ids.new_id(), target.attempts + publishing
    status = "publishing" if publishing or first else target.status
    await db.execute(
        _START, target.id, attempt_id, post.workspace_id, post.id, number, kind, owner, target_context.content_hash,
        status, tries, snapshot.crashes + 1, first and snapshot.intent is None,
    )  # fmt: skip
    move(target, status)
    target.started_at = target.started_at or target_context.now
    await _derive_post(db, post, targets, target_context.now)
    account = await accounts.by_id(db, target.account_id)
    assert account is not None  # noqa: S101 - rows of accounts are never deleted
    target_content = content.for_target(post, target)
    files = await media.for_publishing(db, post.workspace_id, target_content.media_ids())
    return Attempt(
        id=attempt_id,
        number=number,
        kind=kind,
        target=DueTarget(target.id, post.id, target.platform),
        snapshot=msgspec.structs.replace(snapshot, status=status, tries=tries, crashes=0),
        connector=connector,
        account=account,
        secrets_version=target_context.secrets_version,
        content=target_content,
        files=list(files.values()),
        steps=target_context.steps,
        dedupe_key=target.dedupe_key,
        created_at=post.created_at,
    )


def _snapshot(locked: LockedTarget, target_context: TargetContext, connector: Connector | None) -> TargetSnapshot:
    """Gather what `decide` needs. An intent whose step is gone belonged to other content: it says nothing of this."""
    post, _, target = locked
    first = target.status == "pending"
    intent = target_context.intent
    return TargetSnapshot(
        status=target.status,
        now=target_context.now,
        due_at=target.due_at,
        tries=0 if first else target_context.tries,
        crashes=0 if first else target_context.crashes,
        crashed=target_context.crashed,
        jitter=random.random(),  # noqa: S311 - spreads load
        reconciles=target_context.reconciles if target.status == "unknown" else 0,
        intent=intent if intent is not None and intent.step in target_context.steps else None,
        pending_state=target_context.pending_state if target.status == "processing" else None,
        error=None if first else target.error,
        trashed=post.deleted_at is not None,
        can_publish=connector is not None,
        can_reconcile=connector is not None and connector.reconcile is not None,
        approval=post.approval.state,
        account_status=target_context.account_status,
        account_reason=target_context.account_reason,
        over_limit=target_context.over_limit,
        last_published_at=target_context.last_published_at,
        last_published_due_at=target_context.last_published_due_at,
        tolerance_seconds=target_context.tolerance_minutes * 60.0,
        gap_seconds=float(target_context.gap_seconds),
    )


# --- the end -------------------------------------------------------------------------------------------------------

_FINISH = """
update attempt set finished_at = now(), duration_ms = $2, outcome = $3, http_status = $4, request = $5, response = $6,
    error = $7
where id = $1
"""
_SETTLE = """
update target set status = $2, next_attempt_at = now() + make_interval(secs => $3), held_reason = $4, error = $5,
    tries = tries - $6, crashes = $10, reconciles = $7, pending_state = $8,
    intent = case when $9 then null else intent end, updated_at = now()
where id = $1 returning next_attempt_at
"""
_PUBLISHED = """
update target set delivery = $2, remote_id = $3, url = $4, thread_ids = $5, first_comment = $6, published_at = now()
where id = $1 returning published_at
"""
_POST = """
update post set status = $2, published_at = $3, updated_at = now()
where id = $1 and (status, published_at) is distinct from ($2, $3)
"""


async def end(context: AppContext, db: Db, attempt: Attempt, change: Change, record: CallRecord) -> None:
    """Write the outcome: the record of the attempt, the target, its post's status, the history; emit what ended."""
    await db.execute(
        _FINISH, attempt.id, record.duration_ms, change.status, record.http_status, record.request, record.response,
        change.error,
    )  # fmt: skip
    locked = await _lock(db, attempt.target)
    if locked is None:
        return  # purged meanwhile
    audit_record = AttemptRecord(
        number=attempt.number,
        duration_ms=record.duration_ms,
        request=record.request,
        http_status=record.http_status,
        response=record.response,
    )
    now = attempt.snapshot.now
    await apply_change(context, db, locked, change, now, kind=attempt.kind, audit_record=audit_record)


async def apply_change(
    context: AppContext,
    db: Db,
    locked: LockedTarget,
    change: Change,
    now: datetime,
    *,
    kind: AttemptKind | None = None,
    audit_record: AttemptRecord | None = None,
) -> None:
    """Write a change to a locked target; derive its post's status; add to its history; emit what ended.

    Args:
        context: emits the events.
        db: the transaction that holds the locks.
        locked: the target.
        change: what `decide` or `settle` returned.
        now: when the target was read.
        kind: of the attempt that ended; None: no attempt was made.
        audit_record: of that attempt.
    """
    post, targets, target = locked
    status_before, post_status_before = target.status, post.status
    move(target, change.status)
    target.next_attempt_at = await db.fetchval(
        _SETTLE, target.id, change.status, change.after_seconds, change.held_reason, change.error,
        int(change.uncounted), change.reconciles, change.pending_state, change.closes_intent, change.crashes,
    )  # fmt: skip
    target.held_reason, target.error = change.held_reason, change.error
    if change.published is not None:
        await _save_publication(db, post, target, change.published)
    await _derive_post(db, post, targets, now)
    if action := _audit_action(status_before, change, kind):
        changes = [AuditChange("status", status_before, change.status)]
        entry = audit.entry(post, action, SYSTEM, target_id=target.id, changes=changes, attempt=audit_record)
        await audit.record(db, [entry])
    if target.status in OVER and status_before not in OVER:
        ended_at = clock.now()
        await emit.target_ended(context, db, post, targets, target, ended_at)
        if post.status != post_status_before:
            await emit.post_ended(context, db, post, targets, ended_at)


async def _save_publication(db: Db, post: PostRow, target: TargetRow, published: Published) -> None:
    comment = FirstComment()
    if published.first_comment_id is not None:
        comment = FirstComment(status="posted", id=published.first_comment_id)
    elif post.first_comment and published.first_comment_error is not None:
        comment = FirstComment(status="failed", error=published.first_comment_error)
    target.delivery, target.remote_id, target.url = published.delivery, published.remote_id, published.url
    target.thread_ids, target.first_comment = list(published.thread_ids), comment
    target.published_at = await db.fetchval(
        _PUBLISHED, target.id, target.delivery, target.remote_id, target.url, target.thread_ids, comment
    )


async def _derive_post(db: Db, post: PostRow, targets: list[TargetRow], now: datetime) -> None:
    post.status = progress.status_of(targets, now)
    if post.status in ("published", "partial") and post.published_at is None:
        post.published_at = now
    await db.execute(_POST, post.id, post.status, post.published_at)


def _audit_action(status_before: str, change: Change, kind: AttemptKind | None) -> str | None:
    """Return the action of the audit log for a change; None for what is not news: another reconcile, another wait."""
    if change.status == "failed":
        return "target.failed"
    if kind == "reconcile" and change.status in ("published", "retrying"):
        return "reconciled"
    if change.status == "published":
        return "target.published"
    if change.status == "unknown":
        return "target.unknown" if status_before != "unknown" else None
    return "target.attempt" if kind == "publish" else None


# --- attempts that broke off ---------------------------------------------------------------------------------------

_UNCOUNT_CRASHES = "update target set crashes = greatest(crashes - 1, 0) where id = any($1) and status = any($2)"


async def end_after_error(context: AppContext, db: Db, due: DueTarget, error: str) -> None:
    """End an attempt that an unexpected error broke off: an open intent is reconciled, anything else tried again."""
    locked = await _lock(db, due)
    if locked is None:
        return
    target_context = await queries.load_context(db, due.id, locked.post.profile_id)
    if not _is_due(target_context):
        return  # it was settled before the error
    await db.execute(_CLOSE, due.id, "broken")
    snapshot = _snapshot(locked, target_context, networks.get(due.platform))
    message = f"The attempt broke off: {error}"
    if snapshot.status in WAITING:
        change = Change(
            status=snapshot.status,
            after_seconds=RETRY_SECONDS[0],
            error=target_error("internal_error", message, target_context.now),
        )
    elif snapshot.intent is not None:
        change = settle(snapshot, snapshot.kind, OutcomeUnknown(message=message))
    else:
        change = settle(snapshot, snapshot.kind, TryLater(message=message, code="internal_error"))
    await apply_change(context, db, locked, change, target_context.now, kind=snapshot.kind)


async def uncount_crashes(db: Db, target_ids: Sequence[UUID]) -> None:
    """Take back that these attempts count as crashes: they were stopped in good order and go on elsewhere."""
    await db.execute(_UNCOUNT_CRASHES, target_ids, UNDER_WAY)
