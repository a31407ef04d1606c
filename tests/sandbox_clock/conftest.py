from collections.abc import AsyncIterator

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.sandbox import Sandbox

from signalpost.kit.db import Database


@pytest.fixture
async def sandbox(api: Api, make: Make, database: Database) -> AsyncIterator[Sandbox]:
    owner = await make.owner()
    account = await make.account(owner)
    opened = Sandbox(api, make, database, owner, account["id"])
    yield opened
    await opened.end()
    await opened.value("update target set next_attempt_at = null where workspace_id = $1", owner.workspace_id)
    await opened.value("delete from job where workspace_id = $1", owner.workspace_id)
