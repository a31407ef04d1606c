from collections.abc import AsyncIterator

import pytest
from tests.helpers import engine

from signalpost.kit.db import Database


@pytest.fixture
async def store(fresh_dsn: str) -> AsyncIterator[Database]:
    """A database of this test alone, with the tables of `tests.helpers.engine`."""
    opened = await Database.open(fresh_dsn, connections_max=20)
    async with opened.connection() as db:
        await db.execute(engine.SCHEMA)
    yield opened
    await opened.close()
