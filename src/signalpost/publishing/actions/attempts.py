"""One attempt at a target: begun before the network is asked, ended with what it answered. Under the lane's lease."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.queries import by_id as account_by_id
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.media import queries as media
from signalpost.media.queries import MediaRow
from signalpost.networks.contract import Connector, OutcomeUnknown, Published, TryLater
from signalpost.posts import content
from signalpost.posts import queries as posts
from signalpost.posts.content import Content
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.states import OVER, TARGET_MOVES, WAITING
from signalpost.posts.target_errors import target_error
from signalpost.publishing import queries
from signalpost.publishing.actions import tell
from signalpost.publishing.queries import Item, Surroundings
from signalpost.publishing.states import RETRY_SECONDS, Change, Facing, Kind, Postponed, judge, settle

SYSTEM: Final[dict[str, Any]] = {"type": "system", "id": None, "name": "publisher"}


class Attempt(NamedTuple):
    """An attempt that was begun: its row is committed, the network has not been asked."""

    id: UUID
    number: int
    kind: Kind
    item: Item
    facing: Facing
    connector: Connector
    account: AccountRow
    secrets_version: int
    content: Content
    files: Mapping[UUID, MediaRow]
    steps: dict[str, Any]
    dedupe_key: str
    created_at: datetime


class Report(NamedTuple):
    """What the attempt's record says of the call."""

    duration_ms: int
    request: dict[str, Any] | None = None
    http_status: int | None = None
    response: str | None = None


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
_POST = """
update post set status = $2, published_at = $3, updated_at = now()
where id = $1 and (status, published_at) is distinct from ($2, $3)
"""
# The next one on time comes first, then those of the backlog in their order, a gap apart.
_POSTPONE = """
with waiting as (
    select id, row_number() over (order by due_at < now() - make_interval(secs => $4), next_attempt_at, id) - 1 as nth
    from target
    where account_id = $1 and status in ('pending', 'retrying') and (next_attempt_at <= now()
        or (next_attempt_at is not null and held_reason is null and due_at < now() - make_interval(secs => $4)))
)
update target t set updated_at = now(),
    next_attempt_at = greatest(t.next_attempt_at, $2::timestamptz + make_interval(secs => w.nth * $3))
from waiting w where t.id = w.id
"""


async def begin(
    context: AppContext, db: Db, item: Item, account_id: UUID, owner: UUID, backlog_seconds: float
) -> Attempt | Change | None:
    """Look at the target and everything around it as it is now; start an attempt if one may be made.

    Returns:
        The attempt; or the change that was written instead; or None when there is nothing to do any more.
    """
    locked = await posts.lock(db, item.post_id, [])
    found = None if locked is None else _find(locked[1], item.id)
    if locked is None or found is None:
        return None
    post, targets = locked
    seen = await queries.around(db, item.id, post.profile_id)
    if seen.next_attempt_at is None or seen.next_attempt_at > seen.now:
        return None  # cancelled, edited or moved since it was claimed
    if seen.crashed:  # its worker died, or lost the lease
        await db.execute(_CLOSE, item.id, "crashed")
    connector = networks.CONNECTORS.get(item.platform)
    facing = _facing(post, found, seen, connector)
    verdict = judge(facing)
    if isinstance(verdict, Postponed):
        await db.execute(_POSTPONE, account_id, verdict.until, float(seen.gap_seconds), backlog_seconds)
        return None
    if isinstance(verdict, Change):
        await write(context, db, post, targets, found, facing, verdict)
        return verdict
    assert connector is not None  # noqa: S101 - without one `judge` has failed it
    return await _start(db, post, targets, found, seen, facing, connector, owner)


async def _start(
    db: Db,
    post: PostRow,
    targets: list[TargetRow],
    target: TargetRow,
    seen: Surroundings,
    facing: Facing,
    connector: Connector,
    owner: UUID,
) -> Attempt:
    kind = facing.kind
    fresh = target.status == "pending"
    publishing = kind == "publish"
    tries = (0 if fresh else seen.tries) + publishing
    crashes = (0 if fresh else seen.crashes) + 1
    attempt_id, number = ids.new_id(), target.attempts + publishing
    status = "publishing" if publishing or fresh else target.status
    await db.execute(
        _START, target.id, attempt_id, post.workspace_id, post.id, number, kind, owner, seen.content_hash, status,
        tries, crashes, fresh and facing.intent is None,
    )  # fmt: skip
    target.status, target.started_at = status, target.started_at or seen.now
    await _derive(db, post, targets, seen.now)
    account = await account_by_id(db, target.account_id)
    assert account is not None  # noqa: S101 - rows of accounts are never deleted
    whole = content.for_target(post, target)
    wanted = [key for name in whole.media_ids() if (key := ids.decode("med", name)) is not None]
    files = await media.for_publishing(db, post.workspace_id, wanted)
    facing = msgspec.structs.replace(facing, status=status, tries=tries, crashes=0)
    return Attempt(
        attempt_id, number, kind, Item(target.id, post.id, target.platform), facing, connector, account,
        seen.secrets_version, whole, files, seen.steps, target.dedupe_key, post.created_at,
    )  # fmt: skip


def _find(targets: list[TargetRow], target_id: UUID) -> TargetRow | None:
    return next((target for target in targets if target.id == target_id), None)


def _facing(post: PostRow, target: TargetRow, seen: Surroundings, connector: Connector | None) -> Facing:
    """Gather what is judged. An intent whose step is gone belonged to another content: it says nothing of this one."""
    fresh = target.status == "pending"
    return Facing(
        status=target.status,
        now=seen.now,
        due_at=target.due_at,
        tries=0 if fresh else seen.tries,
        crashes=0 if fresh else seen.crashes,
        crashed=seen.crashed,
        chance=random.random(),  # noqa: S311 - spreads load
        reconciles=seen.reconciles if target.status == "unknown" else 0,
        intent=seen.intent if seen.intent is not None and seen.intent["step"] in seen.steps else None,
        pending=seen.pending if target.status == "processing" else None,
        error=None if fresh else target.error,
        trashed=post.deleted_at is not None,
        can_publish=connector is not None,
        can_reconcile=connector is not None and connector.reconcile is not None,
        approval=post.approval["state"],
        account=seen.account,
        account_reason=seen.account_reason,
        over_limit=seen.over_limit,
        published_at=seen.published_at,
        published_due_at=seen.published_due_at,
        tolerance_seconds=seen.tolerance_minutes * 60.0,
        gap_seconds=float(seen.gap_seconds),
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
_AUDIT = """
insert into audit (id, workspace_id, post_id, target_id, action, actor, changes, attempt)
values ($1, $2, $3, $4, $5, $6, $7, $8)
"""


async def end(context: AppContext, db: Db, attempt: Attempt, change: Change, report: Report) -> None:
    """Write what became of the target, its post's status, the record of the attempt, and tell of it."""
    await db.execute(
        _FINISH, attempt.id, report.duration_ms, change.status, report.http_status, report.request, report.response,
        change.error,
    )  # fmt: skip
    locked = await posts.lock(db, attempt.item.post_id, [])
    target = None if locked is None else _find(locked[1], attempt.item.id)
    if locked is None or target is None:
        return  # purged meanwhile
    record = {
        "number": attempt.number,
        "durationMs": report.duration_ms,
        "request": report.request,
        "httpStatus": report.http_status,
        "response": report.response,
    }
    await write(context, db, *locked, target, attempt.facing, change, kind=attempt.kind, record=record)


async def write(  # noqa: PLR0913 - one row with all that is known about it
    context: AppContext,
    db: Db,
    post: PostRow,
    targets: list[TargetRow],
    target: TargetRow,
    facing: Facing,
    change: Change,
    *,
    kind: Kind | None = None,
    record: dict[str, Any] | None = None,
) -> None:
    """Write a change to a locked target; derive its post's status; add to its history; emit what ended."""
    before = target.status
    via = "publishing" if kind == "publish" else before
    if change.status not in {via, *TARGET_MOVES[via]}:
        raise AssertionError(f"no move from {via} to {change.status}")
    target.next_attempt_at = await db.fetchval(
        _SETTLE, target.id, change.status, change.after_seconds, change.held, change.error, int(change.uncounted),
        change.reconciles, change.pending, change.closes_intent, change.crashes,
    )  # fmt: skip
    target.status, target.held_reason, target.error = change.status, change.held, change.error
    if change.published is not None:
        await _keep_published(db, post, target, change.published)
    ended = target.status in OVER and before not in OVER
    was = post.status
    await _derive(db, post, targets, facing.now)
    if action := _action(before, change, kind):
        await db.execute(
            _AUDIT, ids.new_id(), post.workspace_id, post.id, target.id, action, SYSTEM,
            [{"field": "status", "from": before, "to": change.status}], record,
        )  # fmt: skip
    if ended:
        now = clock.now()
        await tell.target_ended(context, db, post, targets, target, now)
        if post.status in tell.ENDINGS and was != post.status:
            await tell.post_ended(context, db, post, targets, now)


async def _keep_published(db: Db, post: PostRow, target: TargetRow, published: Published) -> None:
    comment: dict[str, Any] = {"status": "none", "id": None, "error": None}
    if published.first_comment_id is not None:
        comment |= {"status": "posted", "id": published.first_comment_id}
    elif post.first_comment and published.first_comment_error is not None:
        comment |= {"status": "failed", "error": published.first_comment_error}
    target.delivery, target.remote_id, target.url = published.delivery, published.remote_id, published.url
    target.thread_ids, target.first_comment = list(published.thread_ids), comment
    target.published_at = await db.fetchval(
        _PUBLISHED, target.id, target.delivery, target.remote_id, target.url, target.thread_ids, comment
    )


async def _derive(db: Db, post: PostRow, targets: list[TargetRow], now: datetime) -> None:
    post.status = posts.derive(targets, now)
    if post.status in ("published", "partial") and post.published_at is None:
        post.published_at = now
    await db.execute(_POST, post.id, post.status, post.published_at)


def _action(before: str, change: Change, kind: Kind | None) -> str | None:
    """Return the word of the audit log for a change; None for what is no news: another look, another wait."""
    if change.status == "failed":
        return "target.failed"
    if kind == "reconcile" and change.status in ("published", "retrying"):
        return "reconciled"
    if change.status == "published":
        return "target.published"
    if change.status == "unknown":
        return "target.unknown" if before != "unknown" else None
    return "target.attempt" if kind == "publish" else None


# --- what went wrong on our side -----------------------------------------------------------------------------------

_NOT_CRASHED = """
update target set crashes = greatest(crashes - 1, 0)
where id = any($1) and status in ('publishing', 'processing', 'unknown')
"""


async def end_broken(context: AppContext, db: Db, item: Item, what: str) -> None:
    """End what an exception of our own broke off: an open intent is looked into, anything else is tried again later."""
    locked = await posts.lock(db, item.post_id, [])
    target = None if locked is None else _find(locked[1], item.id)
    if locked is None or target is None:
        return
    post, targets = locked
    seen = await queries.around(db, item.id, post.profile_id)
    if seen.next_attempt_at is None or seen.next_attempt_at > seen.now:
        return  # it was settled before it broke
    await db.execute(_CLOSE, target.id, "broken")
    facing = _facing(post, target, seen, networks.CONNECTORS.get(item.platform))
    message = f"The attempt broke off: {what}"
    if target.status in WAITING:
        error = target_error("internal_error", message, seen.now)
        change = Change(status=target.status, after_seconds=RETRY_SECONDS[0], error=error)
    elif facing.intent is not None:
        change = settle(facing, facing.kind, OutcomeUnknown(message=message))
    else:
        change = settle(facing, facing.kind, TryLater(message=message, code="internal_error"))
    await write(context, db, post, targets, target, facing, change, kind=facing.kind)


async def not_crashed(db: Db, target_ids: Sequence[UUID]) -> None:
    """Take back that these attempts never ended: they were stopped in good order, and go on elsewhere."""
    await db.execute(_NOT_CRASHED, target_ids)
