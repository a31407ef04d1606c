from collections.abc import AsyncIterator

import pytest
from tests.helpers.authorization import AuthorizationFlow, authorization_flow
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.kit.db import Database


@pytest.fixture
async def flow(context: AppContext, make: Make, database: Database) -> AsyncIterator[AuthorizationFlow]:
    async with authorization_flow(context, make, database) as opened:
        yield opened
