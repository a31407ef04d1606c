"""The series of a post that repeats: it begins and ends with the post, in the same transaction."""

from collections.abc import Sequence
from uuid import UUID

from signalpost.kit.db import Db
from signalpost.posts import recurrences
from signalpost.posts.rows import PostRow

_START = """
insert into recurrence_series (post_id, workspace_id, last_local, look_at)
select p.id, p.workspace_id, greatest(p.local, (
    select max(o.local) from recurrence_occurrence o where o.parent_id = p.id)), p.at
from unnest($1::uuid[], $2::uuid[], $3::timestamp[], $4::timestamptz[]) as p(id, workspace_id, local, at)
on conflict (post_id) do update set last_local = excluded.last_local, look_at = excluded.look_at
"""
_END = "delete from recurrence_series where post_id = $1"
_LOCK_SERIES = "select from recurrence_series where post_id = $1 for update"
_WAITING = """
select p.id from recurrence_occurrence o join post p on p.id = o.post_id
where o.parent_id = $1 and o.workspace_id = $2 and p.status in ('scheduled', 'queued') and p.deleted_at is null
    and p.published_at is null
"""
_FORGET = "delete from recurrence_occurrence where parent_id = $1 and post_id = any($2)"


async def start(db: Db, posts: Sequence[PostRow]) -> None:
    """Have those of these posts repeated that have a rule and are on the queue, or were; they are written already."""
    repeating = [
        (post.id, post.workspace_id, recurrences.first_local(post.recurrence, post.scheduled_at), post.scheduled_at)
        for post in posts
        if post.recurrence is not None and post.scheduled_at is not None and post.status != "draft"
    ]
    if repeating:
        await db.execute(_START, *zip(*repeating, strict=True))


async def lock_series(db: Db, post: PostRow) -> None:
    """Lock the series of a post, if it is one, before its lanes and itself are locked: so does whoever repeats it."""
    if post.recurrence is not None:
        await db.execute(_LOCK_SERIES, post.id)


async def stop(db: Db, post: PostRow) -> list[UUID]:
    """End the series of a post; return the repetitions that still wait, which no longer count as made."""
    await db.execute(_END, post.id)
    waiting = [record["id"] for record in await db.fetch(_WAITING, post.id, post.workspace_id)]
    if waiting:
        await db.execute(_FORGET, post.id, waiting)
    return waiting
