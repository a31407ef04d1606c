"""Writing the texts of posts where searches find them, some time after the posts (`posts.search`)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.kit.db import Db

UNINDEXED_MIN: Final = 256
"""Fewer new posts than this are faster read than indexed: most workspaces never have a text here."""
_OCTETS: Final = 1_000_000
"""How much text a transaction writes; one text more than that is possible."""
_FIRST: Final = (datetime(1, 1, 2, tzinfo=UTC), UUID(int=0))  # the least one is read as -infinity

# A post that is not visible yet cannot be passed over: all that could become visible are written by transactions that
# have an id by now, or are created from now on; each at most ten seconds after the time that it claims, or noted.
HORIZON = "select least(now(), oldest_write()) - interval '20 seconds'"
_LOCK = "select pg_try_advisory_xact_lock(hashtextextended('posts.search', 0))"
_WORKSPACES = "select id from workspace where $1::uuid is null or id < $1 order by id desc limit $2"
_NEW = """
select w.id, g.texts, p.created_at, p.id, p.octets from unnest($1::uuid[]) as w(id)
left join search_progress g on g.workspace_id = w.id
cross join lateral (
    select created_at, id, octet_length(text) as octets from post
    where workspace_id = w.id and deleted_at is null
        and (created_at, id) > (coalesce(g.through_at, $3), coalesce(g.through_id, $4)) and created_at <= $2
    order by created_at, id limit $5) p
where exists (
    select from post
    where workspace_id = w.id and deleted_at is null
        and (created_at, id) > (coalesce(g.through_at, $3), coalesce(g.through_id, $4)) and created_at <= $2
    order by created_at, id offset $6 - 1 limit 1)
order by w.id desc, p.created_at, p.id
"""
_TAKE_PENDING = """
with taken as (
    delete from search_pending where id = any(array(
        select s.id from unnest($1::uuid[]) as w(id)
        cross join lateral (select id from search_pending where workspace_id = w.id order by id limit $2) s))
    returning workspace_id, post_id)
select t.workspace_id, t.notes, p.id, g.texts, x.post_id is null
from (
    select workspace_id, post_id, sum(count(*)) over (partition by workspace_id)::int as notes
    from taken group by workspace_id, post_id) t
left join search_progress g on g.workspace_id = t.workspace_id
left join post p on p.id = t.post_id and (p.created_at, p.id) <= (g.through_at, g.through_id)
left join post_text x on x.post_id = p.id
"""
# With the lock that a reference to a post takes anyway: one that is being deleted is waited for, and left out.
_WRITE = """
insert into post_text (post_id, workspace_id, shard, folded)
select p.id, p.workspace_id, u.shard, lower(concat_ws(' ', p.title, p.text))
from unnest($1::uuid[], $2::int[]) as u(id, shard) join post p on p.id = u.id and p.deleted_at is null
order by u.shard, p.workspace_id, p.created_at for key share of p
on conflict (post_id) do update set folded = excluded.folded where post_text.folded <> excluded.folded
"""
_ADVANCE = """
insert into search_progress (workspace_id, through_at, through_id, texts)
select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::bigint[])
on conflict (workspace_id) do update set through_at = excluded.through_at, through_id = excluded.through_id,
    texts = excluded.texts
"""
_COUNT_NOTED = """
update search_progress g set texts = u.texts
from unnest($1::uuid[], $2::bigint[]) as u(workspace_id, texts) where g.workspace_id = u.workspace_id
"""
SHARD_TEXTS: Final = 20_000
"""As `posts_containing` has it: so many texts are the most that it looks into at once."""


class _New(NamedTuple):
    """A post whose text is to be written; `texts`: how many its workspace has, if any."""

    workspace_id: UUID
    texts: int | None
    created_at: datetime
    post_id: UUID
    octets: int


async def workspaces_after(db: Db, after: UUID | None, limit: int) -> list[UUID]:
    """Return the next workspaces, the newest first: who has just begun looks for what was just written."""
    return [row[0] for row in await db.fetch(_WORKSPACES, after, limit)]


async def index_texts(db: Db, workspaces: Mapping[UUID, bool | None], rows: int) -> dict[UUID, bool]:
    """Write up to `rows` new texts, and as many changed ones, of each workspace; return those that may have more.

    To be called in a transaction, as its first statements.
    """
    horizon = await db.fetchval(HORIZON)
    if not await db.fetchval(_LOCK):  # another process is at it
        return {}
    left = await _write_noted(db, list(workspaces), rows)
    records = await db.fetch(_NEW, list(workspaces), horizon, *_FIRST, rows, UNINDEXED_MIN)
    new = [_New(*record) for record in records]
    left.update({post.workspace_id: True for post in new})
    await _write_new(db, _bounded(new))
    return left


def _bounded(posts: Sequence[_New]) -> list[_New]:
    """Return the first of these posts, whose texts are as long as a transaction may write."""
    octets, bounded = 0, []
    for post in posts:
        if octets >= _OCTETS:
            break
        octets += post.octets
        bounded.append(post)
    return bounded


async def _write_new(db: Db, posts: Sequence[_New]) -> None:
    texts: dict[UUID, int] = {}
    through: dict[UUID, tuple[datetime, UUID]] = {}
    shards = []
    for post in posts:
        count = texts.setdefault(post.workspace_id, post.texts or 0)
        shards.append(count // SHARD_TEXTS)
        texts[post.workspace_id] = count + 1
        through[post.workspace_id] = (post.created_at, post.post_id)
    if posts:
        await db.execute(_WRITE, [post.post_id for post in posts], shards)
        ends = zip(*through.values(), strict=True)
        await db.execute(_ADVANCE, list(through), *map(list, ends), [texts[key] for key in through])


async def _write_noted(db: Db, workspaces: Sequence[UUID], rows: int) -> dict[UUID, bool]:
    """Write the texts of posts that were changed, restored or created with another time; return who has more notes."""
    left: dict[UUID, bool] = {}
    shards: dict[UUID, int] = {}
    counts: dict[UUID, int] = {}
    for workspace_id, notes, post_id, texts, is_new in await db.fetch(_TAKE_PENDING, workspaces, rows):
        if notes == rows:
            left[workspace_id] = True
        if post_id is not None:  # else it is newer than the texts, and read with them
            count = counts.setdefault(workspace_id, texts)
            shards[post_id] = count // SHARD_TEXTS
            counts[workspace_id] = count + is_new
    if shards:
        await db.execute(_WRITE, list(shards), list(shards.values()))
        await db.execute(_COUNT_NOTED, list(counts), list(counts.values()))
    return left
