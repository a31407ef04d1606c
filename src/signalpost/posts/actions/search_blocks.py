"""Keeping search blocks: what the posts of a workspace contain, written some time after the posts (`posts.search`)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from signalpost.kit.db import Db
from signalpost.kit.worker_threads import in_thread
from signalpost.posts import grams
from signalpost.web.paging import Position

UNINDEXED_MIN: Final = 256
"""Fewer new posts than this are faster read than indexed."""
_POSTS: Final = 1_000
_OCTETS: Final = 500_000
"""How much is read at a time."""
_BLOCK_GRAMS: Final = 1_000
"""A block ends when it contains this many: with more, few searches could skip it; with fewer, they read more blocks."""
_BLOCK_POSTS: Final = 64
_START: Final = (datetime(1, 1, 2, tzinfo=UTC), UUID(int=0))  # the least one is read as -infinity
_LAST_ID: Final = UUID(int=2**128 - 1)

# A post that is not visible yet cannot be in a block. All that could become visible are written by transactions that
# have an id by now, or are created from now on; each at most ten seconds after the time that it claims, or noted.
HORIZON = "select least(now(), oldest_write()) - interval '20 seconds'"
_WORKSPACES = """
select w.id from (select id from workspace where id > $1 order by id limit $3) w left join lateral (
    select through_at, through_id from search_block b where b.workspace_id = w.id
    order by through_at desc, through_id desc limit 1) b on true
where w.id in (select workspace_id from search_pending)
    or exists (
        select from post p where p.workspace_id = w.id and p.deleted_at is null and p.created_at <= $2
            and (p.created_at, p.id) > (coalesce(b.through_at, $4), coalesce(b.through_id, $5))
        order by p.created_at, p.id offset $6 - 1 limit 1)
order by w.id
"""
_LAST_WORKSPACE = "select id from workspace where id > $1 order by id offset $2 - 1 limit 1"
_LOCK = "select pg_advisory_xact_lock(hashtextextended('search:' || $1::uuid, 0))"
_LAST_BLOCK = """
select through_at, through_id from search_block where workspace_id = $1
order by through_at desc, through_id desc limit 1
"""
_TEXTS = """
select created_at, id, lower(concat_ws(' ', title, text)), count from (
    select created_at, id, title, text, count(*) over (),
        sum(octet_length(text)) over (order by created_at, id) - octet_length(text) as before
    from (
        select created_at, id, title, text from post
        where workspace_id = $1 and deleted_at is null and (created_at, id) > ($2, $3) and (created_at, id) <= ($4, $5)
        order by created_at, id limit $6) p
    ) p
where before < $7 order by created_at, id
"""
_TAKE_PENDING = """
delete from search_pending where id = any(array(
    select id from search_pending where workspace_id = $1 order by id limit $2))
returning post_id
"""
_OUTDATED = """
select distinct b.after_at, b.after_id, b.through_at, b.through_id
from unnest($2::uuid[]) as u(id) join post p on p.id = u.id and p.workspace_id = $1 cross join lateral (
    select after_at, after_id, through_at, through_id from search_block b
    where b.workspace_id = $1 and (b.through_at, b.through_id) >= (p.created_at, p.id)
    order by b.through_at, b.through_id limit 1) b
order by b.through_at, b.through_id
"""
_DELETE = "delete from search_block where workspace_id = $1 and (through_at, through_id) = ($2, $3)"
_INSERT = """
insert into search_block (workspace_id, after_at, after_id, through_at, through_id, grams)
select $1, * from unnest($2::timestamptz[], $3::uuid[], $4::timestamptz[], $5::uuid[], $6::bit varying[])
"""


class Text(NamedTuple):
    """A post as it is searched: title and text, lowered by the database."""

    at: datetime
    id: UUID
    text: str


class Block(NamedTuple):
    """The posts after one position, up to another."""

    after: Position
    through: Position
    grams: asyncpg.BitString


async def workspaces_to_index(db: Db, after: UUID, limit: int) -> tuple[list[UUID], UUID | None]:
    """Return which of the next `limit` workspaces have something to index, and the last of all if more may follow."""
    horizon = await db.fetchval(HORIZON)
    rows = await db.fetch(_WORKSPACES, after, horizon, limit, *_START, UNINDEXED_MIN)
    return [row[0] for row in rows], await db.fetchval(_LAST_WORKSPACE, after, limit)


async def index_posts(db: Db, workspace_id: UUID) -> bool:
    """Bring some blocks of a workspace up to date, and add some; return whether there is more to do.

    To be called in a transaction, as its first statement.
    """
    horizon = await db.fetchval(HORIZON)
    await db.execute(_LOCK, workspace_id)
    pending = [row[0] for row in await db.fetch(_TAKE_PENDING, workspace_id, _POSTS)]
    for row in await db.fetch(_OUTDATED, workspace_id, pending) if pending else ():
        await _rewrite(db, workspace_id, (row[0], row[1]), (row[2], row[3]))
    more = await _extend(db, workspace_id, (horizon, _LAST_ID))
    return more or len(pending) == _POSTS


async def _extend(db: Db, workspace_id: UUID, horizon: Position) -> bool:
    """Add blocks of the posts after the last one; return whether there are more."""
    last = await db.fetchrow(_LAST_BLOCK, workspace_id)
    after = _START if last is None else (last[0], last[1])
    texts, count = await _texts(db, workspace_id, after, horizon)
    if count < UNINDEXED_MIN:
        return False
    blocks = await in_thread(make_blocks, after, texts)
    all_read = len(texts) == count < _POSTS
    await _insert(db, workspace_id, blocks[:-1] if all_read else blocks)  # the last one is not full yet
    return not all_read


async def _rewrite(db: Db, workspace_id: UUID, after: Position, through: Position) -> None:
    """Write one block again, or several that together take its place."""
    await db.execute(_DELETE, workspace_id, *through)
    while after != through:
        texts, count = await _texts(db, workspace_id, after, through)
        blocks = await in_thread(make_blocks, after, texts)
        if len(texts) == count < _POSTS:
            last = blocks.pop() if blocks else Block(after, through, grams.bits_of_text((), 0))
            blocks.append(last._replace(through=through))
        await _insert(db, workspace_id, blocks)
        after = blocks[-1].through


async def _texts(db: Db, workspace_id: UUID, after: Position, through: Position) -> tuple[list[Text], int]:
    """Return the next posts of a range, and of how many posts they were taken, to read no more than is good."""
    rows = await db.fetch(_TEXTS, workspace_id, *after, *through, _POSTS, _OCTETS)
    return [Text(*row[:3]) for row in rows], rows[0][3] if rows else 0


async def _insert(db: Db, workspace_id: UUID, blocks: Sequence[Block]) -> None:
    if blocks:
        columns = zip(*((*block.after, *block.through, block.grams) for block in blocks), strict=True)
        await db.execute(_INSERT, workspace_id, *columns)


def make_blocks(after: Position, texts: Sequence[Text]) -> list[Block]:
    """Return the blocks that these posts make, from this position on."""
    blocks: list[Block] = []
    contained: set[str] = set()
    count = 0
    for text in texts:
        contained |= grams.grams_of(text.text)
        count += 1
        if len(contained) >= _BLOCK_GRAMS or count == _BLOCK_POSTS or text is texts[-1]:
            through = (text.at, text.id)
            blocks.append(Block(after, through, grams.bits_of_text(contained, len(contained))))
            after, contained, count = through, set(), 0
    return blocks
