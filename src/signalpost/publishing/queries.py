"""Reads of the queue: what is due, what stands around a target, and a post's entry as callers see it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.posts import queries as posts
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.posts.states import TargetStatus
from signalpost.publishing.schemas import NeverQueued, QueueEntry, QueueState, QueueTask, TaskState

PRIORITY = 5
"""All posts have the same one: fairness between workspaces and order by time decide."""


class Item(Struct, frozen=True):
    """A due target."""

    id: UUID
    post_id: UUID
    platform: str


class Surroundings(Struct):
    """What only the worker reads of a target, with its account and profile. `now`: the database's clock."""

    now: datetime
    next_attempt_at: datetime | None
    content_hash: bytes
    tries: int
    crashes: int
    crashed: bool
    reconciles: int
    steps: dict[str, Any]
    intent: dict[str, Any] | None
    pending: dict[str, Any] | None
    account: str
    account_reason: str | None
    secrets_version: int
    over_limit: bool
    published_at: datetime | None
    published_due_at: datetime | None
    tolerance_minutes: int
    gap_seconds: int


_DUE = """
select k.key, t.id, t.post_id, t.platform from unnest($1::uuid[]) as k(key) cross join lateral (
    select id, post_id, platform from target where account_id = k.key and next_attempt_at <= now()
    order by next_attempt_at, id limit $2
) t
"""
_AROUND = """
select clock_timestamp(), t.next_attempt_at, t.content_hash, t.tries, t.crashes,
    exists (select from attempt o where o.target_id = t.id and o.finished_at is null), t.reconciles, t.steps, t.intent,
    t.pending_state, a.status, a.status_reason, a.secrets_version, a.over_limit or p.over_limit,
    last.published_at, last.due_at, p.late_tolerance_minutes, p.min_gap_seconds
from target t join account a on a.id = t.account_id join profile p on p.id = $2 left join lateral (
    select other.published_at, other.due_at from target other
    where other.account_id = t.account_id and other.published_at is not null order by other.published_at desc limit 1
) last on true
where t.id = $1
"""


async def due(db: Db, accounts: Sequence[UUID], per_account: int) -> list[tuple[UUID, Item]]:
    """Return the first due targets of each account."""
    return [(row[0], Item(row[1], row[2], row[3])) for row in await db.fetch(_DUE, accounts, per_account)]


async def around(db: Db, target_id: UUID, profile_id: UUID) -> Surroundings:
    """Return what stands around a target."""
    row = await db.fetchrow(_AROUND, target_id, profile_id)
    assert row is not None  # noqa: S101 - the caller holds the row locked
    return Surroundings(*row)


# --- the entry of a post -------------------------------------------------------------------------------------------

_TASK_STATES: dict[TargetStatus, TaskState] = {
    "publishing": "leased",
    "published": "done",
    "removed": "done",
    "failed": "failed",
    "cancelled": "cancelled",
}
_LEASES = "select max(lease_until) from lane where kind = 'target' and key = any($1) and owner is not null"
_AHEAD = """
select count(distinct t.post_id) from target t join post p on p.id = t.post_id
where t.account_id = any($1) and t.next_attempt_at < $2 and t.post_id <> $3 and p.workspace_id = $4
"""


async def entry(db: Db, post: PostRow) -> QueueEntry | NeverQueued:
    """Return the post's queue entry."""
    targets = await posts.targets_of(db, [post.id])
    if post.queued_at is None and not any(target.status == "cancelled" for target in targets):
        return NeverQueued(ids.encode("pst", post.id))
    return await shape_entry(db, post, targets)


async def shape_entry(db: Db, post: PostRow, targets: Sequence[TargetRow]) -> QueueEntry:
    """Return the entry of a post that was queued at least once."""
    now = clock.now()
    tasks = [_task(target, now) for target in targets]
    state = _state([task.state for task in tasks], post)
    run_at = posts.first_due(targets)
    held: Any = next((target.held_reason for target in targets if target.held_reason and target.next_attempt_at), None)
    working = [target.account_id for target in targets if target.status == "publishing"]
    ready = [target.account_id for target, task in zip(targets, tasks, strict=True) if task.state == "ready"]
    position = None
    if state == "ready" and run_at is not None:
        position = 1 + await db.fetchval(_AHEAD, ready, run_at, post.id, post.workspace_id)
    ended = state in ("done", "failed", "cancelled")
    return QueueEntry(
        ids.encode("que", post.id), ids.encode("pst", post.id), state, held is not None, held,
        clock.wire_or_none(run_at), PRIORITY, max((target.attempts for target in targets), default=0), tasks, position,
        clock.wire_or_none(await db.fetchval(_LEASES, working) if working else None),
        clock.wire_or_none(post.queued_at), clock.wire(post.updated_at) if ended else None,
    )  # fmt: skip


def _task(target: TargetRow, now: datetime) -> QueueTask:
    due = target.next_attempt_at is not None and target.next_attempt_at <= now and target.held_reason is None
    unqueued = target.status == "pending" and target.next_attempt_at is None
    state = "cancelled" if unqueued else _TASK_STATES.get(target.status, "ready" if due else "waiting")
    error: Any = target.error
    return QueueTask(
        ids.encode("tgt", target.id), target.platform, state, target.attempts,
        clock.wire_or_none(target.next_attempt_at), error,
    )  # fmt: skip


def _state(tasks: Sequence[TaskState], post: PostRow) -> QueueState:
    live = [state for state in tasks if state != "cancelled"]
    if not live or post.status == "draft":
        return "cancelled"
    for state in ("leased", "ready", "waiting"):
        if state in live:
            return state
    return "failed" if "failed" in live else "done"
