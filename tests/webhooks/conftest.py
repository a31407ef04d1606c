from collections.abc import AsyncIterator

import pytest
from tests.helpers import webhooks

from signalpost.context import AppContext
from signalpost.engine.engine import Engine


@pytest.fixture
async def engine(context: AppContext) -> AsyncIterator[Engine]:
    """A worker that makes deliveries while the test runs."""
    async with webhooks.delivery_worker(context) as running:
        yield running
