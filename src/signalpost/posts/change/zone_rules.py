"""A country changes its clocks: posts for a wall time in its zone are moved to the instant that this time means now."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.engine.wake import wake
from signalpost.events import Actor
from signalpost.kit import clock, zones
from signalpost.kit.db import Db
from signalpost.posts import queries, times
from signalpost.posts.documents import Change
from signalpost.posts.write import audit
from signalpost.posts.write.audit import PostRef

SOON: Final = timedelta(minutes=10)
"""A post that is due within this time stays where it is, and none is moved nearer than that."""
_FIRST: Final = UUID(int=0)
_ACTOR: Final = Actor(type="system", id=None, name="time zone rules")

_OUTDATED = """
select workspace_id, scheduled_at, id, scheduled_local, timezone from post
where (workspace_id, scheduled_at, id) > ($1, $2, $3) and stage in ('draft', 'scheduled')
    and deleted_at is null and scheduled_at > now() + $4 and scheduled_local is not null
    and (tzdata_version is null or tzdata_version < $5 collate "C")
order by workspace_id, scheduled_at, id limit $6
"""
_MOVABLE_LANES = "select distinct account_id from target where post_id = any($1) and status = 'pending'"
# A post that is being changed at this moment is left to the next pass: it may get another time.
_MOVE = """
with wanted as (
    select * from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as w(id, was_at, at)
), locked as materialized (
    select p.id, w.was_at, w.at from post p join wanted w on w.id = p.id
    where p.scheduled_at = w.was_at and p.status in ('draft', 'scheduled') and p.deleted_at is null
        and p.scheduled_local is not null
    order by p.id for no key update of p skip locked
), moved as (
    update post p set scheduled_at = l.at, tzdata_version = $4,
        version = p.version + (l.at <> l.was_at)::int,
        updated_at = case when l.at = l.was_at then p.updated_at else now() end
    from locked l where p.id = l.id
), retimed as (
    update target t set due_at = l.at, next_attempt_at = case when t.next_attempt_at is not null then l.at end
    from locked l where t.post_id = l.id and l.at <> l.was_at and t.scheduled_at is null and t.status = 'pending'
        and t.due_at = l.was_at
    returning t.post_id, t.account_id, t.platform, t.next_attempt_at
)
select l.id, l.at <> l.was_at as moved, r.account_id, r.platform, r.next_attempt_at
from locked l left join retimed r on r.post_id = l.id
"""


class OutdatedPost(NamedTuple):
    """A post whose instant was computed by older rules."""

    workspace_id: UUID
    scheduled_at: datetime
    id: UUID
    scheduled_local: datetime
    timezone: str


async def outdated_posts(db: Db, after: OutdatedPost | None, limit: int) -> list[OutdatedPost]:
    """Return the posts that follow `after` among those whose wall time was resolved by older rules than ours.

    Posts that are due soon are not among them, nor those that were scheduled by an instant.
    """
    version = times.tzdata_version()
    if version is None:
        return []
    start = after[:3] if after is not None else (_FIRST, datetime.min.replace(tzinfo=UTC), _FIRST)
    return [OutdatedPost(*row) for row in await db.fetch(_OUTDATED, *start, SOON, version, limit)]


async def apply_zone_rules(db: Db, posts: Sequence[OutdatedPost]) -> int:
    """Move these posts to where their wall time is now, in a transaction; return how many were moved.

    Each gets an audit entry, and its lanes are woken. A wall time that has passed by the new rules is due soon.
    """
    instants = await _instants(db, posts)
    resolved = [post for post in posts if post.id in instants]
    others = [post.id for post in resolved if instants[post.id] != post.scheduled_at]
    lanes = [row["account_id"] for row in await db.fetch(_MOVABLE_LANES, others)] if others else []
    await queries.lock_lanes(db, lanes)  # before the posts, as whoever changes one
    rows = await db.fetch(
        _MOVE,
        [post.id for post in resolved],
        [post.scheduled_at for post in resolved],
        [instants[post.id] for post in resolved],
        times.tzdata_version(),
    )
    by_id = {post.id: post for post in resolved}
    moved = [by_id[post_id] for post_id in dict.fromkeys(row["id"] for row in rows if row["moved"])]
    await audit.record(
        db, [audit.entry(_ref(post), "updated", _ACTOR, changes=[_change(post, instants)]) for post in moved]
    )
    for row in sorted((row for row in rows if row["next_attempt_at"]), key=lambda row: row["account_id"]):
        await wake(
            db, "target", [row["account_id"]], workspace_id=by_id[row["id"]].workspace_id,
            platforms=[row["platform"]], due=[row["next_attempt_at"]],
        )  # fmt: skip
    return len(moved)


async def _instants(db: Db, posts: Sequence[OutdatedPost]) -> dict[UUID, datetime]:
    """Return when each post is due by the present rules; those in a zone that is not known here are missing."""
    earliest = await db.fetchval("select now()") + SOON
    instants = {}
    for post in posts:
        zone = zones.zone(post.timezone)
        if zone is not None:
            at, _ = clock.resolve_local(post.scheduled_local, zone)
            instants[post.id] = at if at == post.scheduled_at else max(at, earliest)
    return instants


def _ref(post: OutdatedPost) -> PostRef:
    return PostRef(post.id, post.workspace_id)


def _change(post: OutdatedPost, instants: dict[UUID, datetime]) -> Change:
    return Change("scheduled_at", clock.wire(post.scheduled_at), clock.wire(instants[post.id]))
