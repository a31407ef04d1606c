"""Writing what becomes of targets, with all that follows from it: their posts, the history, the events."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.accounts.actions import publications
from signalpost.context import AppContext
from signalpost.events import Event
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.networks.contract import Published
from signalpost.posts import progress
from signalpost.posts.documents import AttemptRecord, Change, FirstComment, TargetError
from signalpost.posts.rows import AuditRow, PostSummary
from signalpost.posts.states import OVER, move
from signalpost.posts.write import audit, emit
from signalpost.publishing import queries
from signalpost.publishing.attempt import CallRecord, End
from signalpost.publishing.policy import AttemptKind, PendingState, TargetChange
from signalpost.publishing.queries import Siblings

CHUNK: Final = 16
"""How many targets are worked on before other work of this process gets its turn."""

_WRITE = """
with ended as materialized (
    select * from jsonb_to_recordset($1) as e(
        id uuid, status text, next_attempt_at timestamptz, held_reason text, error jsonb, uncounted int, crashes int,
        reconciles int, pending_state jsonb, steps jsonb, drops_step text, closes_intent bool,
        delivery text, remote_id text, url text,
        thread_ids text[], first_comment jsonb, published_at timestamptz, attempt_id uuid, intended_at timestamptz,
        duration_ms int, http_status int, request jsonb, response text)
), finished as (
    update attempt a set finished_at = now(), intent_at = e.intended_at, duration_ms = e.duration_ms,
        outcome = e.status, http_status = e.http_status, request = e.request, response = e.response, error = e.error
    from ended e where a.id = e.attempt_id
), settled as (
    update target t set status = e.status, next_attempt_at = e.next_attempt_at, held_reason = e.held_reason,
        error = e.error, tries = t.tries - coalesce(e.uncounted, 0), crashes = coalesce(e.crashes, 0),
        reconciles = coalesce(e.reconciles, 0), pending_state = e.pending_state,
        steps = case when e.steps is null and e.drops_step is null then t.steps
            else (t.steps || coalesce(e.steps, '{}')) - coalesce(e.drops_step, '') end,
        intent = case when e.closes_intent then null else t.intent end,
        delivery = coalesce(e.delivery, t.delivery),
        remote_id = coalesce(e.remote_id, public_part(t.steps || coalesce(e.steps, '{}'), 0) ->> 'id', t.remote_id),
        url = coalesce(e.url, public_part(t.steps || coalesce(e.steps, '{}'), 0) ->> 'url', t.url),
        thread_ids = coalesce(e.thread_ids, public_thread_ids(t.steps || coalesce(e.steps, '{}'))),
        first_comment = coalesce(e.first_comment, t.first_comment),
        published_at = coalesce(e.published_at, t.published_at), updated_at = now()
    from ended e where t.id = e.id
)
update post p set status = d.status, published_at = d.published_at, updated_at = now()
from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as d(id, status, published_at) where p.id = d.id
"""


class _Ended(Struct, omit_defaults=True):
    """What is written of a target and its attempt; what is left out is null, or stays as it is."""

    id: UUID
    status: str
    next_attempt_at: datetime | None = None
    held_reason: str | None = None
    error: TargetError | None = None
    uncounted: int = 0
    crashes: int = 0
    reconciles: int = 0
    pending_state: PendingState | None = None
    closes_intent: bool = False
    drops_step: str | None = None
    delivery: str | None = None
    remote_id: str | None = None
    url: str | None = None
    thread_ids: Sequence[str] | None = None
    first_comment: FirstComment | None = None
    published_at: datetime | None = None
    steps: Mapping[str, Any] | None = None
    intended_at: datetime | None = None
    attempt_id: UUID | None = None
    duration_ms: int | None = None
    http_status: int | None = None
    request: dict[str, str] | None = None
    response: str | None = None


class _Writes:
    """What a batch writes and emits."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.ended: list[_Ended] = []
        self.posts: dict[UUID, PostSummary] = {}
        self.entries: list[AuditRow] = []
        self.published: list[UUID] = []  # accounts
        self.events: list[Event] = []


async def write_ends(context: AppContext, db: Db, ends: Sequence[End]) -> None:
    """Write what becomes of targets whose posts are locked; derive the posts; add to the history; emit what ended.

    Two targets of one post that end in one batch end one after the other: the last one ends the post.
    """
    now, posts = await queries.siblings(db, {end.post_id for end in ends})
    writes = _Writes(now)
    for count, end in enumerate(ends, 1):
        if (siblings := posts.get(end.post_id)) is not None:  # else it was purged meanwhile
            _end(siblings, end, writes)
        if count % CHUNK == 0:
            await asyncio.sleep(0)
    changed = list(writes.posts.values())
    await db.execute(
        _WRITE, writes.ended, [post.id for post in changed], [post.status for post in changed],
        [post.published_at for post in changed],
    )  # fmt: skip
    await audit.record(db, writes.entries)
    if writes.published:
        await publications.record_publications(db, writes.published, now)
    await context.emit(db, *writes.events)


def _end(siblings: Siblings, end: End, writes: _Writes) -> None:
    post, targets = siblings
    change, now = end.change, writes.now
    target = next((target for target in targets if target.id == end.target_id), None)
    if target is None:
        return
    status_before, post_status_before = target.status, post.status
    if status_before == "published" and change.published is None:  # someone said so while the network was asked
        change = TargetChange(status="published", closes_intent=True)
        end = end._replace(change=change)
    move(target, change.status)
    ended = _ended(end, now)
    target.next_attempt_at, target.held_reason, target.error = ended.next_attempt_at, change.held_reason, change.error
    if change.published is not None:
        _publish(post, change.published, ended)
        target.delivery, target.remote_id, target.url = change.published.delivery, ended.remote_id, ended.url
        if status_before != "published":
            ended.published_at = now
            target.published_at = progress.shown_published_at(post, target, now)
            writes.published.append(target.account_id)
    writes.ended.append(ended)
    _derive(post, siblings, writes)
    if action := _audit_action(status_before, change, end.kind):
        changes = [Change("status", status_before, change.status)]
        record = _audit_record(end.number, end.record)
        writes.entries.append(
            audit.entry(post, action, end.actor, target_id=target.id, changes=changes, attempt=record)
        )
    if target.status in OVER and status_before != target.status:
        ended_at = clock.now()
        writes.events.append(emit.target_ended_event(post, targets, target, ended_at))
        if post.status != post_status_before:
            writes.events += emit.post_ended_events(post, targets, ended_at)


def _ended(end: End, now: datetime) -> _Ended:
    change = end.change
    ended = _Ended(
        end.target_id,
        change.status,
        next_attempt_at=None if change.after_seconds is None else now + clock.seconds(change.after_seconds),
        held_reason=change.held_reason,
        error=change.error,
        uncounted=int(change.uncounted),
        crashes=change.crashes,
        reconciles=change.reconciles,
        pending_state=change.pending_state,
        closes_intent=change.closes_intent,
        drops_step=change.drops_step,
        steps=end.steps or None,
        intended_at=end.intended_at,
    )
    if end.record is not None:
        ended.attempt_id, ended.duration_ms, ended.request = end.attempt_id, end.record.duration_ms, end.record.request
        ended.http_status, ended.response = end.record.http_status, end.record.response
    return ended


def _publish(post: PostSummary, published: Published, ended: _Ended) -> None:
    ended.delivery, ended.remote_id, ended.url = published.delivery, published.remote_id or None, published.url
    ended.thread_ids = published.thread_ids
    ended.first_comment = FirstComment()
    if published.first_comment_id is not None:
        ended.first_comment = FirstComment(status="posted", id=published.first_comment_id)
    elif post.first_comment and published.first_comment_error is not None:
        ended.first_comment = FirstComment(status="failed", error=published.first_comment_error)


def _derive(post: PostSummary, siblings: Siblings, writes: _Writes) -> None:
    before = post.status, post.published_at
    post.status = progress.status_of(siblings.targets, writes.now)
    post.published_at = progress.published_at(post.status, siblings.targets)
    if (post.status, post.published_at) != before:
        writes.posts[post.id] = post


def _audit_record(number: int, record: CallRecord | None) -> AttemptRecord | None:
    if record is None:
        return None
    return AttemptRecord(number, record.duration_ms, record.request, record.http_status, record.response)


def _audit_action(status_before: str, change: TargetChange, kind: AttemptKind | None) -> str | None:
    """Return the action of the audit log for a change; None for what is not news: another reconcile, another wait."""
    if status_before == "published" and change.published is None:
        return None
    if change.status == "failed":
        return "target.failed"
    if kind == "reconcile" and change.status in ("published", "retrying"):
        return "reconciled"
    if change.status == "published":
        return "target.published"
    if change.status == "unknown":
        return "target.unknown" if status_before != "unknown" else None
    return "target.attempt" if kind == "publish" else None
