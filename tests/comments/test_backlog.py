"""What has gathered for comments is worked off in bounded transactions, and to the last post."""

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from tests.helpers.comments import Commented, job
from tests.helpers.counted import CountedLease

from signalpost.comments import work
from signalpost.comments.actions import plan, together
from signalpost.context import AppContext
from signalpost.kit.db import Database

COUNT = plan.ROWS + 500
"""More than one transaction adds."""
_PUBLISHED = """
with p as (
    insert into post (id, workspace_id, profile_id, timezone, publish_mode, created_by, source, mode, status, text,
        published_at)
    select gen_random_uuid(), workspace_id, profile_id, timezone, publish_mode, created_by, source, mode, status,
        'gathered', published_at - n * interval '1 second'
    from post, generate_series(1, $2::int) n where id = (select post_id from target where id = $1)
    returning id, published_at
)
insert into target (id, post_id, workspace_id, account_id, position, platform, status, content_hash, dedupe_key,
    delivery, remote_id, published_at)
select gen_random_uuid(), p.id, workspace_id, account_id, 0, platform, status, content_hash, 'gathered',
    delivery, remote_id, p.published_at
from target t, p where t.id = $1
"""
_GONE = """
with gone as (delete from target where account_id = $1 and dedupe_key = 'gathered' returning post_id)
delete from post where id in (select post_id from gone)
"""
_GATHERED = "select count(*) from target where account_id = $1 and dedupe_key = 'gathered'"
_MISSED = f"{_GATHERED} and id not in (select target_id from comment_source)"
_LAST_LOOK = """
update comment_source set next_attempt_at = now() - interval '1 minute',
    published_at = published_at - interval '40 days' where account_id = $1
"""
_DUE = "select count(*) from comment_source where account_id = $1 and next_attempt_at <= now()"


@pytest.fixture
async def gathered(post: Commented, database: Database) -> AsyncIterator[Commented]:
    """An account that has published more than one transaction adds, while nothing here listened."""
    async with database.transaction() as db:
        await db.execute(_PUBLISHED, post.target_id, COUNT)
    yield post
    async with database.transaction() as db:
        await db.execute(_GONE, post.account_id)


async def test_what_was_missed_is_added_and_looked_at(
    gathered: Commented, context: AppContext, database: Database
) -> None:
    lease = CountedLease(database)
    add_missed = job(context, work.ADD_MISSED)
    while await add_missed(lease, {}) is not None:
        pass
    async with database.transaction() as db:
        assert await db.fetchval(_GATHERED, gathered.account_id) == COUNT
        assert await db.fetchval(_MISSED, gathered.account_id) == 0
        await db.execute(_LAST_LOOK, gathered.account_id)
    assert max(step.written.get("comment_source", 0) for step in lease.transactions) <= plan.ROWS

    lease, looking = CountedLease(database), together.Looking(context)
    while await looking.step(cast("Any", lease)):
        pass
    async with database.connection() as db:
        assert await db.fetchval(_DUE, gathered.account_id) == 0
    assert max(step.written.get("comment_source", 0) for step in lease.transactions) <= together.POSTS
