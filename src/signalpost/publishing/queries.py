"""Reads of the queue: which targets are due, what an attempt depends on, and a post's queue entry."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader
from signalpost.posts import progress
from signalpost.posts import queries as posts
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.publishing import states, views
from signalpost.publishing.policy import Intent, PendingState
from signalpost.publishing.schemas import NeverQueued, QueueEntry


class DueTarget(Struct, frozen=True):
    """A target that the engine hands out."""

    id: UUID
    post_id: UUID
    platform: str


class LockedTarget(NamedTuple):
    """A target with its post and its siblings, locked until the transaction ends."""

    post: PostRow
    targets: list[TargetRow]
    target: TargetRow


class TargetContext(Struct):
    """What only an attempt needs to know of a target, its account and its profile. `now`: the database's clock."""

    now: datetime
    next_attempt_at: datetime | None
    content_hash: bytes
    tries: int
    crashes: int
    crashed: bool
    reconciles: int
    steps: dict[str, Any]
    intent: Intent | None
    pending_state: PendingState | None
    account_status: str
    account_reason: str | None
    secrets_version: int
    over_limit: bool
    last_published_at: datetime | None
    last_published_due_at: datetime | None
    tolerance_minutes: int
    gap_seconds: int

    @property
    def is_due(self) -> bool:
        return self.next_attempt_at is not None and self.next_attempt_at <= self.now


_DUE = """
select k.key, t.id, t.post_id, t.platform from unnest($1::uuid[]) as k(key) cross join lateral (
    select id, post_id, platform from target where account_id = k.key and next_attempt_at <= now()
    order by next_attempt_at, id limit $2
) t
"""
_CONTEXT_COLUMNS = columns(
    TargetContext,
    "t",
    now="clock_timestamp()",
    crashed="exists (select from attempt o where o.target_id = t.id and o.finished_at is null)",
    account_status="a.status",
    account_reason="a.status_reason",
    secrets_version="a.secrets_version",
    over_limit="a.over_limit or p.over_limit",
    last_published_at="last.published_at",
    last_published_due_at="last.due_at",
    tolerance_minutes="p.late_tolerance_minutes",
    gap_seconds="p.min_gap_seconds",
)
_CONTEXT = f"""
select {_CONTEXT_COLUMNS}
from target t join account a on a.id = t.account_id join profile p on p.id = $2 left join lateral (
    select other.published_at, other.due_at from target other
    where other.account_id = t.account_id and other.published_at is not null order by other.published_at desc limit 1
) last on true
where t.id = $1
"""  # noqa: S608 - constants only
_read_context = reader(TargetContext)


async def due(db: Db, account_ids: Sequence[UUID], per_account: int) -> list[tuple[UUID, DueTarget]]:
    """Return the first due targets of each account."""
    return [(row[0], DueTarget(row[1], row[2], row[3])) for row in await db.fetch(_DUE, account_ids, per_account)]


async def lock_target(db: Db, due: DueTarget) -> LockedTarget | None:
    """Lock the target with its post; return them as they are now. None: purged."""
    locked = await posts.lock(db, due.post_id, [])
    if locked is None:
        return None
    post, targets = locked
    return next((LockedTarget(post, targets, target) for target in targets if target.id == due.id), None)


async def load_context(db: Db, target_id: UUID, profile_id: UUID) -> TargetContext:
    """Return what an attempt at this target depends on. Hold the target locked meanwhile."""
    row = await db.fetchrow(_CONTEXT, target_id, profile_id)
    assert row is not None  # noqa: S101 - the caller holds the row locked
    return _read_context(row)


# --- the queue entry of a post -------------------------------------------------------------------------------------

_LEASED_UNTIL = "select max(lease_until) from lane where kind = 'target' and key = any($1) and owner is not null"
_POSTS_AHEAD = """
select count(distinct t.post_id) from target t join post p on p.id = t.post_id
where t.account_id = any($1) and t.next_attempt_at < $2 and t.post_id <> $3 and p.workspace_id = $4
"""


async def queue_entry(db: Db, post: PostRow) -> QueueEntry | NeverQueued:
    """Return the post's entry on the queue."""
    targets = await posts.targets_of(db, [post.id])
    if post.queued_at is None and not any(target.status == "cancelled" for target in targets):
        return views.never_queued(post)
    now = clock.now()
    tasks = [states.task_state(target, now) for target in targets]
    state = states.queue_state(tasks, post.status)
    ready = [target for target, task in zip(targets, tasks, strict=True) if task == "ready"]
    return views.queue_entry(
        post,
        list(zip(targets, tasks, strict=True)),
        state=state,
        position=await _position(db, post, progress.first_due(targets), ready) if state == "ready" else None,
        leased_until=await _leased_until(db, [target for target in targets if target.status == "publishing"]),
    )


async def _position(db: Db, post: PostRow, run_at: datetime | None, ready: Sequence[TargetRow]) -> int | None:
    """Return which of the workspace's posts on the same accounts this one is, by due time, from 1."""
    if run_at is None:
        return None
    account_ids = [target.account_id for target in ready]
    ahead: int = await db.fetchval(_POSTS_AHEAD, account_ids, run_at, post.id, post.workspace_id)
    return ahead + 1


async def _leased_until(db: Db, publishing: Sequence[TargetRow]) -> datetime | None:
    if not publishing:
        return None
    leased_until: datetime | None = await db.fetchval(_LEASED_UNTIL, [target.account_id for target in publishing])
    return leased_until
