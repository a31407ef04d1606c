"""The end of an attempt, with its outcome or after an error. Under the lane's lease."""

from collections.abc import Sequence
from uuid import UUID

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.networks.contract import OutcomeUnknown, TryLater
from signalpost.posts.documents import AttemptRecord
from signalpost.posts.states import UNDER_WAY, WAITING
from signalpost.posts.target_errors import target_error
from signalpost.publishing import queries
from signalpost.publishing.actions.change import apply_change
from signalpost.publishing.attempt import Attempt, CallRecord, take_snapshot
from signalpost.publishing.outcomes import RETRY_SECONDS, settle
from signalpost.publishing.policy import TargetChange
from signalpost.publishing.queries import DueTarget

_FINISH = """
update attempt set finished_at = now(), duration_ms = $2, outcome = $3, http_status = $4, request = $5, response = $6,
    error = $7
where id = $1
"""
_CLOSE_BROKEN = """
update attempt set finished_at = now(), outcome = 'broken' where target_id = $1 and finished_at is null
"""
_UNCOUNT_CRASHES = "update target set crashes = greatest(crashes - 1, 0) where id = any($1) and status = any($2)"


async def end_attempt(context: AppContext, db: Db, attempt: Attempt, change: TargetChange, record: CallRecord) -> None:
    """Write the outcome: the record of the attempt, the target, its post's status, the history; emit what ended."""
    await db.execute(
        _FINISH, attempt.id, record.duration_ms, change.status, record.http_status, record.request, record.response,
        change.error,
    )  # fmt: skip
    locked = await queries.lock_target(db, attempt.target)
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


async def end_after_error(context: AppContext, db: Db, due: DueTarget, error: str) -> None:
    """End an attempt that an unexpected error broke off: an open intent is reconciled, anything else tried again."""
    locked = await queries.lock_target(db, due)
    if locked is None:
        return
    target_context = await queries.load_context(db, due.id, locked.post.profile_id)
    if not target_context.is_due:
        return  # it was settled before the error
    await db.execute(_CLOSE_BROKEN, due.id)
    snapshot = take_snapshot(locked, target_context, networks.get(due.platform))
    message = f"The attempt broke off: {error}"
    if snapshot.status in WAITING:
        change = TargetChange(
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
