"""Other posts in the way of one: with the same content for an account within 24 hours, or the same external id."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Struct, field

from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.posts.rows import PostRow


class Duplicate(NamedTuple):
    """Another post in the way. `account_id` None: it has the same external id, else the same content there."""

    post_id: UUID
    account_id: UUID | None


class Duplicates(Struct):
    """Posts in the way of others, by their content or external id."""

    contents: dict[bytes, Duplicate] = field(default_factory=dict)
    externals: dict[str, Duplicate] = field(default_factory=dict)

    def of(self, post: PostRow, contents: Iterable[bytes]) -> Duplicate | None:
        """Return the post that has the external id of this one, or else one of these contents."""
        same = self.externals.get(post.external_id or "")
        return same or next((self.contents[content] for content in contents if content in self.contents), None)


_DUPLICATES: Final = "select post_id, account_id from find_duplicates($1, $2, $3, $4, $5)"
# As `find_duplicates` in the database locks them; a statement of its own, so that the look after it is a fresh one.
_LOCK_CONTENTS = """
select pg_advisory_xact_lock(hashtextextended(encode(h.hash, 'hex'), 0))
from (select distinct u.hash from unnest($1::bytea[]) as u(hash) order by 1) h
"""
# A request that sets the clock sets that of the guard; workers publish by the real one, which does not count.
_DUPLICATES_AT = """
select p.id, null::uuid from post p
where p.workspace_id = $1 and p.mode = $2 and p.external_id = $4 and p.deleted_at is null and p.id <> $5
union all
select t.post_id, t.account_id from target t join post p on p.id = t.post_id
where t.content_hash = any($3) and t.workspace_id = $1 and p.mode = $2
    and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null and p.id <> $5
    and greatest(p.queued_at, p.created_at) > $6::timestamptz - interval '24 hours'
limit 10
"""


async def find_duplicates(db: Db, post: PostRow, hashes: Sequence[bytes]) -> list[Duplicate]:
    """Return posts with the same external id, then those with one of these contents.

    Other transactions that ask for the same contents wait until this one ends.
    """
    if clock.is_simulated():
        await db.execute(_LOCK_CONTENTS, hashes)
        values = (post.workspace_id, post.mode, hashes, post.external_id, post.id, clock.now())
        return [Duplicate(*record) for record in await db.fetch(_DUPLICATES_AT, *values)]
    records = await db.fetch(_DUPLICATES, post.workspace_id, post.mode, hashes, post.external_id, post.id)
    return [Duplicate(*record) for record in records]


_DUPLICATES_OF_MANY = """
select kind, id, account_id, hash, external
from find_obstacles($1, $2, '{}', '{}', '{}', '{}', '{}', $3, $4, $5)
"""


async def duplicates_of_many(db: Db, posts: Sequence[tuple[PostRow, Sequence[bytes]]]) -> Duplicates:
    """Return what is in the way of new posts of one workspace and mode, each with its contents; one statement.

    Other transactions that ask for the same contents wait until this one ends.
    """
    first = posts[0][0]
    hashes = sorted({content for _, contents in posts for content in contents})
    externals = list({post.external_id for post, _ in posts if post.external_id is not None})
    at = clock.now() if clock.is_simulated() else None
    records = await db.fetch(_DUPLICATES_OF_MANY, first.workspace_id, first.mode, hashes, externals, at)
    return Duplicates(
        {record[3]: Duplicate(record[1], record[2]) for record in records if record[0] == "content"},
        {record[4]: Duplicate(record[1], None) for record in records if record[0] == "external"},
    )
