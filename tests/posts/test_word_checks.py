"""The database of the tests refuses words that the program does not know."""

import asyncpg
import pytest
from tests.helpers.factories import Make
from tests.posts.test_create import soon

from signalpost.kit.db import Database


@pytest.mark.parametrize(
    ("table", "column"),
    [("post", "status"), ("post", "publish_mode"), ("post", "source"), ("post", "mode"), ("target", "status"),
     ("target", "delivery"), ("target", "held_reason")],
)  # fmt: skip
async def test_an_unknown_word_is_refused(make: Make, database: Database, table: str, column: str) -> None:
    owner = await make.owner()
    await make.account(owner)
    await make.post(owner, scheduledAt=soon(days=30))
    with pytest.raises(asyncpg.CheckViolationError):
        async with database.transaction() as db:
            await db.execute(f"update {table} set {column} = 'cancled' where workspace_id = $1", owner.workspace_id)
