"""Which of an account's due posts comes next, and what it costs to find out."""

from typing import Any, Final
from uuid import UUID

from tests.helpers.publishing import StagedNetwork

from signalpost.kit import ids
from signalpost.publishing import queries

_LOOKED_AT: Final = 32
"""How many of the due posts of an account are read, to find one that may be public already."""
_COPY: Final = """
insert into target select (jsonb_populate_record(t, jsonb_build_object(
    'id', overlay(t.id::text placing lpad(to_hex(n), 12, '0') from 25), 'post_id', gen_random_uuid()))).*
from target t cross join generate_series(1, $2::int) n where t.post_id = $1
"""


async def blocks_read(stage: StagedNetwork, account: UUID) -> int:
    """How many pages a look for the next post of the account touches."""
    explain = f"explain (analyze, buffers, format json) {queries._PICK}"
    async with stage.context.database.transaction() as db:
        [plan] = await db.fetchval(explain, [account], False)
    blocks: int = plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
    return blocks


async def picked(stage: StagedNetwork, account: UUID) -> Any:
    async with stage.context.database.transaction() as db:
        [first], _ = await queries.pick_due(db, [account])
    return first


async def test_of_posts_that_are_due_at_one_moment_the_oldest_comes_first_however_many_there_are(
    stage: StagedNetwork,
) -> None:
    name = await stage.account()
    post, account = stage.id(await stage.post(name)), ids.decode("acc", name)
    assert account is not None
    await stage.execute("update target set next_attempt_at = now() - interval '1 second' where post_id = $1", post)
    await stage.execute(_COPY, post, 4_000)
    await stage.execute("analyze target")
    assert await blocks_read(stage, account) <= 3 * _LOOKED_AT
    oldest = await stage.context.database.pool.fetchval(
        "select id from target where account_id = $1 order by id limit 1", account
    )
    assert (await picked(stage, account)).target_id == oldest
