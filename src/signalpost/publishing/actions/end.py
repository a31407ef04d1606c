"""The ends of attempts, with their outcomes or after errors: for all lanes of a release at once, in its transaction."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from signalpost import networks
from signalpost.context import AppContext
from signalpost.engine.contract import Done
from signalpost.kit import ids, log
from signalpost.kit.db import Db
from signalpost.networks.contract import OutcomeUnknown, TryLater
from signalpost.posts.states import UNDER_WAY, WAITING
from signalpost.posts.target_errors import target_error
from signalpost.publishing import queries
from signalpost.publishing.actions.begin import close_open_attempts
from signalpost.publishing.actions.change import write_ends
from signalpost.publishing.attempt import Attempt, End, Unreadable, take_snapshot
from signalpost.publishing.outcomes import RETRY_SECONDS, settle
from signalpost.publishing.policy import TargetChange
from signalpost.publishing.queries import Due

Begun = Attempt | Unreadable
"""What a lane was given to do."""

_LATER: Final = """
update target set next_attempt_at = now() + make_interval(secs => $2) where id = any($1) and next_attempt_at <= now()
"""
_HAND_BACK: Final = """
update target t set crashes = greatest(t.crashes - 1, 0), steps = t.steps || coalesce(h.steps, '{}'),
    intent = case when h.intent_closed then null else t.intent end
from jsonb_to_recordset($1) as h(id uuid, steps jsonb, intent_closed bool) where t.id = h.id and t.status = any($2)
"""
_logger = log.get("publishing")


async def end_attempts(context: AppContext, db: Db, done: Sequence[Done[Begun, End]]) -> set[UUID]:
    """Write how attempts ended, except those whose posts another transaction has locked; return the lanes of these."""
    busy = await queries.lock_posts(db, {ended.item.post_id for ended in done})
    free = [ended for ended in done if ended.item.post_id not in busy]
    errors = {ended.item.target_id: (ended.item, ended.error) for ended in free if ended.error is not None}
    ends = [ended.result for ended in free if ended.result is not None]
    if ends:
        await write_ends(context, db, ends)
    if errors:
        await _end_after_errors(context, db, errors)
    return {ended.key for ended in done if ended.item.post_id in busy}


async def _end_after_errors(context: AppContext, db: Db, errors: Mapping[UUID, tuple[Begun, Exception]]) -> None:
    """End attempts that an unexpected error broke off: an open intent is reconciled, anything else tried again.

    A target that cannot be read stays as it is, and is looked at again later; the account's others go on meanwhile.
    """
    ends, unreadable = [], []
    rows = await queries.due_rows(db, list(errors))
    await close_open_attempts(db, list(rows), "broken")
    for target_id, row in rows.items():
        item, error = errors[target_id]
        try:
            due = queries.read_due(row)
        except (msgspec.MsgspecError, TypeError, ValueError):
            _logger.exception("target.unreadable", target=ids.encode("tgt", target_id))
            unreadable.append(target_id)
            continue
        if due.is_due:  # else it was settled before the error
            ends.append(_after_error(due, item, repr(error)))
    if ends:
        await write_ends(context, db, ends)
    if unreadable:
        await db.execute(_LATER, unreadable, RETRY_SECONDS[0])


def _after_error(due: Due, item: Begun, error: str) -> End:
    unwritten: Mapping[str, Any] = {}
    if isinstance(item, Attempt):
        unwritten = item.unwritten
        due.target.steps |= unwritten
        due.target.intent = None if item.intent_closed else due.target.intent
    snapshot = take_snapshot(due, networks.get(due.target.platform))
    message = f"The attempt broke off: {error}"
    if snapshot.status in WAITING:
        change = TargetChange(
            status=snapshot.status,
            after_seconds=RETRY_SECONDS[0],
            error=target_error("internal_error", message, snapshot.now),
        )
    elif snapshot.intent is not None:
        change = settle(snapshot, snapshot.kind, OutcomeUnknown(message=message))
    else:
        change = settle(snapshot, snapshot.kind, TryLater(message=message, code="internal_error"))
    if isinstance(item, Attempt) and item.intent_closed:
        change = replace(change, closes_intent=True)
    return End(due.target.id, due.post.id, change, kind=snapshot.kind, steps=unwritten)


async def hand_back(db: Db, items: Sequence[Begun]) -> None:
    """Take back that these attempts count as crashes: they were stopped in good order and go on elsewhere."""
    await db.execute(_HAND_BACK, [_handed_back(item) for item in items], UNDER_WAY)


def _handed_back(item: Begun) -> dict[str, Any]:
    if isinstance(item, Unreadable):
        return {"id": item.target_id}
    return {"id": item.target_id, "steps": item.unwritten, "intent_closed": item.intent_closed}
