"""Reads of the queue: which targets are due, what an attempt depends on, and a post's queue entry."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.kit import clock
from signalpost.kit.db import Db, Row
from signalpost.kit.rows import columns, reader
from signalpost.posts import progress
from signalpost.posts import queries as posts
from signalpost.posts.documents import MediaRef, TargetError, ThreadPart, Utm
from signalpost.posts.rows import PostRow, PostSummary, TargetRow, TargetSummary
from signalpost.posts.states import PostStatus, TargetStatus
from signalpost.profiles.queries import MIN_GAP_SECONDS
from signalpost.publishing import states, troubles, views
from signalpost.publishing.policy import Intent, PendingState
from signalpost.publishing.schemas import NeverQueued, QueueEntry
from signalpost.web.caller import Mode


class DuePost(Struct, gc=False):
    """The post of a due target, as an attempt needs it."""

    id: UUID
    workspace_id: UUID
    profile_id: UUID
    mode: Mode
    status: PostStatus
    title: str | None
    text: str
    media: list[MediaRef]
    link: str | None
    thread: list[ThreadPart]
    first_comment: str | None
    utm: Utm | None
    options: dict[str, dict[str, Any]]
    approval: str
    created_at: datetime
    deleted_at: datetime | None
    auto_fit: bool


class DueTarget(Struct, gc=False):
    """A due target, with the columns that only workers use."""

    id: UUID
    account_id: UUID
    platform: str
    status: TargetStatus
    title: str | None
    text: str | None
    media: list[MediaRef] | None
    options: dict[str, Any] | None
    due_at: datetime | None
    next_attempt_at: datetime | None
    attempts: int
    tries: int
    crashes: int
    reconciles: int
    dedupe_key: str
    steps: dict[str, Any]
    intent: Intent | None
    pending_state: PendingState | None
    error: TargetError | None


class DueAccount(Struct, gc=False):
    """The account of a due target, with its sealed secrets."""

    id: UUID
    workspace_id: UUID
    platform: str
    remote_id: str
    username: str
    base_url: str | None
    facts: dict[str, Any]
    status: str
    status_reason: str | None
    secrets: bytes | None
    secrets_version: int


class Circumstances(Struct, gc=False):
    """What else decides whether a target may be sent now. `now`: the database's clock."""

    now: datetime
    crashed: bool
    over_limit: bool
    last_published_at: datetime | None
    last_published_due_at: datetime | None
    tolerance_minutes: int
    gap_seconds: int
    gap_chosen: bool
    watermark_media_id: UUID | None
    language: str | None  # of the account's posts, else of the profile's


class Due(NamedTuple):
    """A due target with everything it depends on."""

    post: DuePost
    target: DueTarget
    account: DueAccount
    circumstances: Circumstances

    @property
    def is_due(self) -> bool:
        at = self.target.next_attempt_at
        return at is not None and at <= self.circumstances.now


class Picked(NamedTuple):
    """The first due target of a lane. `locked`: whether we have its post locked; if not, another transaction has."""

    account_id: UUID
    target_id: UUID
    post_id: UUID
    locked: bool


class Siblings(NamedTuple):
    """A post with all its targets, in order."""

    post: PostSummary
    targets: list[TargetSummary]


# --- due targets: pick and lock, then read with a fresh snapshot ----------------------------------------------------

# What may be public already goes first, among the first few: a look is short, new posts of a slow account are not.
# If asked for, what is known of servers comes with the first row: see `troubles`.
_PICK = f"""
with first as materialized (
    select k.key, t.id, t.post_id from unnest($1::uuid[]) as k(key) cross join lateral (
        select id, post_id from (
            select id, post_id, status, next_attempt_at from target
            where account_id = k.key and next_attempt_at <= now()
            order by next_attempt_at, id limit 32
        ) due order by status in ('pending', 'retrying'), next_attempt_at, id limit 1
    ) t
), locked as materialized (
    select id from post where id in (select post_id from first) order by id for no key update skip locked
)
select f.key, f.id, f.post_id, l.id is not null, case when $2 and row_number() over () = 1 then ({troubles.ALL}) end
from first f left join locked l on l.id = f.post_id
"""  # noqa: S608 - a constant
_LOCK_POSTS = """
with locked as materialized (
    select id from post where id = any($1) order by id for no key update skip locked
)
select p.id from post p where p.id = any($1) and not exists (select from locked l where l.id = p.id)
"""
_PARTS: Final = (
    columns(DuePost, "p", approval="p.approval ->> 'state'"),
    columns(DueTarget, "t"),
    columns(DueAccount, "a"),
    columns(
        Circumstances,
        now="clock_timestamp()",
        # An attempt that was begun and never ended; a target that waits for its first attempt has none.
        crashed="t.status <> 'pending'"
        " and exists (select from attempt o where o.target_id = t.id and o.finished_at is null)",
        over_limit="a.over_limit or f.over_limit",
        last_published_at="last.published_at",
        last_published_due_at="last.due_at",
        tolerance_minutes="f.late_tolerance_minutes",
        gap_seconds="f.min_gap_seconds",
        gap_chosen=f"f.gap_chosen or f.min_gap_seconds <> {MIN_GAP_SECONDS}",
        watermark_media_id="f.watermark_media_id",
        language="coalesce(a.language, f.language)",
    ),
)
_DUE = f"""
select {", ".join(_PARTS)}
from target t join post p on p.id = t.post_id join account a on a.id = t.account_id
    join profile f on f.id = p.profile_id left join lateral (
        select other.published_at, other.due_at from target other
        where other.account_id = t.account_id and other.published_at is not null
        order by other.published_at desc limit 1
    ) last on true
where t.id = any($1)
"""  # noqa: S608 - constants only
_POST_END = len(DuePost.__struct_fields__)
_TARGET_END = _POST_END + len(DueTarget.__struct_fields__)
_ACCOUNT_END = _TARGET_END + len(DueAccount.__struct_fields__)
_read_post, _read_target, _read_account = reader(DuePost), reader(DueTarget), reader(DueAccount)
_SIBLINGS = f"""
select now(), {columns(PostSummary, "p")},
    {columns(TargetSummary, "t", username="a.username", published_at=posts.PUBLISHED_AT)}
from post p join target t on t.post_id = p.id join account a on a.id = t.account_id
where p.id = any($1) order by p.id, t.position
"""  # noqa: S608 - constants only
_SUMMARY_END = 1 + len(PostSummary.__struct_fields__)
_read_summary, _read_sibling = reader(PostSummary), reader(TargetSummary)


async def pick_due(
    db: Db, account_ids: Sequence[UUID], *, with_troubles: bool = False
) -> tuple[list[Picked], Mapping[str, float | None] | None]:
    """Lock the posts of the first due target of each account, without waiting for those that are locked already.

    The lanes of these accounts must be locked. The second value is what `Troubles.learn` takes, if there is any.
    """
    rows = await db.fetch(_PICK, account_ids, with_troubles)
    return [Picked(*row[:4]) for row in rows], rows[0][4] if rows else None


async def lock_posts(db: Db, post_ids: Collection[UUID]) -> set[UUID]:
    """Lock these posts; return those that another transaction has locked, which are not waited for."""
    return {row[0] for row in await db.fetch(_LOCK_POSTS, post_ids)}


async def due_rows(db: Db, target_ids: Collection[UUID]) -> dict[UUID, Row]:
    """Return what `read_due` reads, by target. Lock the posts before."""
    return {row[_POST_END]: row for row in await db.fetch(_DUE, target_ids)}


def read_due(row: Row) -> Due:
    """Decode one row; apart from reading it, so that one row that cannot be decoded harms no other."""
    return Due(
        _read_post(row[:_POST_END]),
        _read_target(row[_POST_END:_TARGET_END]),
        _read_account(row[_TARGET_END:_ACCOUNT_END]),
        Circumstances(*row[_ACCOUNT_END:]),
    )


async def siblings(db: Db, post_ids: Collection[UUID]) -> tuple[datetime, dict[UUID, Siblings]]:
    """Return the transaction's time, and these posts with all their targets. Lock the posts before."""
    by_post: dict[UUID, Siblings] = {}
    rows = await db.fetch(_SIBLINGS, post_ids)
    for row in rows:
        if row[1] not in by_post:
            by_post[row[1]] = Siblings(_read_summary(row[1:_SUMMARY_END]), [])
        by_post[row[1]].targets.append(_read_sibling(row[_SUMMARY_END:]))
    return rows[0][0] if rows else clock.now(), by_post


# --- the queue entry of a post -------------------------------------------------------------------------------------

_LEASED_UNTIL = "select max(lease_until) from lane where kind = 'target' and key = any($1) and owner is not null"
_POSTS_AHEAD = """
select count(distinct t.post_id) from target t join post p on p.id = t.post_id
where t.account_id = any($1) and t.next_attempt_at < $2 and t.post_id <> $3 and p.workspace_id = $4
"""


async def queue_entry(db: Db, post: PostRow) -> QueueEntry | NeverQueued:
    """Return the post's entry on the queue."""
    targets = await posts.targets_of(db, [post.id])
    if post.queued_at is None and not any(
        target.status == "cancelled" or target.next_attempt_at is not None for target in targets
    ):
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
