"""Keeping counts of posts: adding up what triggers noted, and counting posts that were there before them."""

from typing import Final

from signalpost.kit.db import Db

CHANGES: Final = 5_000
"""How many changes one transaction adds up."""
POSTS: Final = 1_000
"""How many posts from before the counts one transaction counts."""

_ARE_COMPLETE: Final = "select counted_until = last_id from post_count_progress"
# Who looks in between sees a change either here or in the sums, since both are read by one statement.
_ADD_UP: Final = """
with taken as (
    delete from post_count_change where ctid = any(array(select ctid from post_count_change limit $1)) returning *
), added as (
    insert into post_count as c (workspace_id, day, profile_id, mode, what, platform, count)
    select t.workspace_id, d.day, t.profile_id, t.mode, t.what, t.platform, sum(t.count)
    from taken t cross join lateral (values ('-infinity'::date), (t.day)) d(day)
    where d.day = '-infinity' or d.day >= (now() at time zone 'UTC')::date - 7
    group by 1, 2, 3, 4, 5, 6 having sum(t.count) <> 0 order by 1, 2, 3, 4, 5, 6
    on conflict (workspace_id, day, profile_id, mode, what, platform) do update set count = c.count + excluded.count
)
select count(*) from taken
"""
_FORGET: Final = """
delete from post_count where ctid = any(array(
    select ctid from post_count where day > '-infinity' and day < (now() at time zone 'UTC')::date - 7 limit $1))
"""


async def are_complete(db: Db) -> bool:
    """Return whether every post is counted."""
    return bool(await db.fetchval(_ARE_COMPLETE))


async def count_next(db: Db) -> bool:
    """Count the next posts that were there before the counts; return whether there are more."""
    if await are_complete(db):
        return False
    return bool(await db.fetchval("select count_next_posts($1)", POSTS) == POSTS)


async def add_up(db: Db) -> bool:
    """Add some changes to the sums, and forget sums of days that are no longer shown; return whether there are more."""
    await db.execute(_FORGET, CHANGES)
    return bool(await db.fetchval(_ADD_UP, CHANGES) == CHANGES)
